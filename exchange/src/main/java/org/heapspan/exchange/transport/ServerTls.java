package org.heapspan.exchange.transport;

import java.io.IOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;

/** The certificate of a server and its key, for TLS 1.3. Immutable. */
public final class ServerTls {
    private static final char[] NO_PASSWORD = {};

    private final SSLContext context;

    private ServerTls(SSLContext context) {
        this.context = context;
    }

    /**
     * Reads files in PEM form.
     *
     * @param certificates that of the server, then those that lead to one that clients trust
     * @param key the private key of the first one, in PKCS #8 without a password; may be the same file
     * @throws IOException if they cannot be read, or do not belong together
     */
    public static ServerTls read(Path certificates, Path key) throws IOException {
        List<X509Certificate> chain = PemFile.read(certificates).certificates();
        PublicKey publicKey = chain.get(0).getPublicKey();
        PrivateKey privateKey = PemFile.read(key).privateKey(publicKey.getAlgorithm());
        try {
            if (!belongTogether(privateKey, publicKey)) {
                throw new IOException(
                        "the private key in " + key + " is not that of the first certificate in " + certificates);
            }
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, NO_PASSWORD);
            store.setKeyEntry("server", privateKey, NO_PASSWORD, chain.toArray(X509Certificate[]::new));
            KeyManagerFactory managers = KeyManagerFactory.getInstance("PKIX");
            managers.init(store, NO_PASSWORD);
            SSLContext context = SSLContext.getInstance(TlsLink.PROTOCOL);
            context.init(managers.getKeyManagers(), null, null);
            return new ServerTls(context);
        } catch (GeneralSecurityException e) {
            throw new IOException(
                    "the certificate in " + certificates + " cannot be used for TLS: " + e.getMessage(), e);
        }
    }

    private static boolean belongTogether(PrivateKey privateKey, PublicKey publicKey) throws GeneralSecurityException {
        Signature signature = Signature.getInstance(
                switch (publicKey.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> publicKey.getAlgorithm();
                });
        byte[] message = new byte[Long.BYTES];
        new SecureRandom().nextBytes(message);
        signature.initSign(privateKey);
        signature.update(message);
        byte[] signed = signature.sign();
        signature.initVerify(publicKey);
        signature.update(message);
        return signature.verify(signed);
    }

    /** A connection of a client within TLS. Its first read or write shakes hands. */
    public Link over(Link link) {
        SSLEngine engine = context.createSSLEngine();
        engine.setUseClientMode(false);
        return new TlsLink(link, engine);
    }
}
