package org.heapspan.exchange.transport;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** The certificates that a client trusts, for TLS 1.3. Immutable. */
public final class ClientTls {
    /** Of the JDK: compares the host with the names in the certificate as RFC 2818 says, addresses too. */
    private static final String HOST_NAME_CHECK = "HTTPS";

    private final SSLContext context;

    private ClientTls(SSLContext context) {
        this.context = context;
    }

    /**
     * Trusts servers whose certificate is one of these, or was signed with the key of one of these.
     *
     * @param file certificates in PEM form
     * @throws IOException if it cannot be read, or has none
     */
    public static ClientTls trusting(Path file) throws IOException {
        List<X509Certificate> certificates = PemFile.read(file).certificates();
        try {
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, null);
            for (int i = 0; i < certificates.size(); i++) {
                store.setCertificateEntry(String.valueOf(i), certificates.get(i));
            }
            SSLContext context = SSLContext.getInstance(TlsLink.PROTOCOL);
            context.init(null, new TrustManager[] {new ServerTrust(managerOf(store), file)}, null);
            return new ClientTls(context);
        } catch (GeneralSecurityException e) {
            throw new IOException("the certificates in " + file + " cannot be used for TLS: " + e.getMessage(), e);
        }
    }

    private static X509ExtendedTrustManager managerOf(KeyStore store) throws GeneralSecurityException {
        TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
        factory.init(store);
        for (TrustManager manager : factory.getTrustManagers()) {
            if (manager instanceof X509ExtendedTrustManager found) {
                return found;
            }
        }
        throw new GeneralSecurityException("this JVM has no check of certificates that looks at host names");
    }

    /**
     * A connection to a server within TLS. Its first read or write shakes hands, and fails if the server has no certificate that is trusted and has
     * the name of its host.
     */
    public Link over(Link link, Endpoint server) {
        SSLEngine engine = context.createSSLEngine(server.host(), server.port());
        engine.setUseClientMode(true);
        SSLParameters parameters = engine.getSSLParameters();
        parameters.setEndpointIdentificationAlgorithm(HOST_NAME_CHECK);
        engine.setSSLParameters(parameters);
        return new TlsLink(link, engine);
    }
}
