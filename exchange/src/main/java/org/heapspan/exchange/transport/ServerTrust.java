package org.heapspan.exchange.transport;

import java.net.Socket;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;

/** The JDK's check of the certificate of a server, which says in plain words why it fails. Thread-safe. */
final class ServerTrust extends X509ExtendedTrustManager {
    private final X509ExtendedTrustManager check;
    private final Path trusted;

    /**
     * @param check that looks at host names too
     * @param trusted the file with the certificates that it trusts, for messages
     */
    ServerTrust(X509ExtendedTrustManager check, Path trusted) {
        this.check = check;
        this.trusted = trusted;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String keyExchange, SSLEngine engine)
            throws CertificateException {
        try {
            // The JDK does not look at the dates of a certificate that is trusted itself.
            chain[0].checkValidity();
            check.checkServerTrusted(chain, keyExchange, engine);
        } catch (CertificateException e) {
            throw new CertificateException(reason(e, engine.getPeerHost()), e);
        }
    }

    private String reason(CertificateException e, String host) {
        for (Throwable cause = e; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateExpiredException) {
                return "the certificate of the server has expired: " + cause.getMessage();
            }
            if (cause instanceof CertificateNotYetValidException) {
                return "the certificate of the server is not valid yet: " + cause.getMessage();
            }
        }
        // Only the comparison of names has no deeper cause.
        return e.getCause() == null
                ? "the certificate of the server is not that of host '" + host + "': " + e.getMessage()
                : "the certificate of the server is not trusted: nothing in " + trusted + " has signed it ("
                        + e.getMessage() + ")";
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String keyExchange) throws CertificateException {
        throw withoutHost();
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String keyExchange, Socket socket)
            throws CertificateException {
        throw withoutHost();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String keyExchange) throws CertificateException {
        throw withoutHost();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String keyExchange, Socket socket)
            throws CertificateException {
        throw withoutHost();
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String keyExchange, SSLEngine engine)
            throws CertificateException {
        throw withoutHost();
    }

    private static CertificateException withoutHost() {
        return new CertificateException("only certificates of servers are checked, with their host");
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return check.getAcceptedIssuers();
    }
}
