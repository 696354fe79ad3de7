package org.heapspan.exchange.transport;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Certificates and a private key in a text file (PEM, RFC 7468). Text between them is passed over. */
final class PemFile {
    private static final int MOST_BYTES = 16 << 20;
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----\\s+([A-Za-z0-9+/=\\s]+)-----END \\1-----");
    private static final String CERTIFICATE = "CERTIFICATE";
    private static final String KEY = "PRIVATE KEY";

    private final Path file;
    private final List<Block> blocks = new ArrayList<>();

    private record Block(String label, byte[] content) {}

    private PemFile(Path file) {
        this.file = file;
    }

    static PemFile read(Path file) throws IOException {
        if (!Files.exists(file)) {
            throw new IOException("there is no file " + file);
        }
        if (Files.size(file) > MOST_BYTES) {
            throw new IOException(file + " has " + Files.size(file) + " bytes, expected at most " + MOST_BYTES);
        }
        PemFile pem = new PemFile(file);
        Matcher block = BLOCK.matcher(Files.readString(file, StandardCharsets.ISO_8859_1));
        while (block.find()) {
            try {
                pem.blocks.add(new Block(block.group(1), Base64.getMimeDecoder().decode(block.group(2))));
            } catch (IllegalArgumentException e) {
                throw new IOException(file + " has a damaged " + block.group(1) + ": " + e.getMessage(), e);
            }
        }
        return pem;
    }

    /**
     * All of its certificates, in their order.
     *
     * @throws IOException if there are none, or one is damaged
     */
    List<X509Certificate> certificates() throws IOException {
        List<X509Certificate> certificates = new ArrayList<>();
        for (Block block : blocks) {
            if (block.label.equals(CERTIFICATE)) {
                try {
                    certificates.add((X509Certificate) CertificateFactory.getInstance("X.509")
                            .generateCertificate(new ByteArrayInputStream(block.content)));
                } catch (CertificateException e) {
                    throw new IOException(file + " has a damaged certificate: " + e.getMessage(), e);
                }
            }
        }
        if (certificates.isEmpty()) {
            throw new IOException(file + " has no certificate in PEM form (-----BEGIN CERTIFICATE-----)");
        }
        return certificates;
    }

    /**
     * Its private key.
     *
     * @param algorithm of the public key that belongs to it
     * @throws IOException if there is none, or it has another form or algorithm
     */
    PrivateKey privateKey(String algorithm) throws IOException {
        for (Block block : blocks) {
            if (block.label.equals(KEY)) {
                try {
                    return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(block.content));
                } catch (GeneralSecurityException e) {
                    throw new IOException(
                            file + " has a private key that is no " + algorithm + " key, as the certificate has: "
                                    + e.getMessage(),
                            e);
                }
            }
            if (block.label.endsWith(KEY)) {
                throw new IOException(file + " has a private key in the form " + block.label
                        + ", expected the form PRIVATE KEY; convert it: openssl pkcs8 -topk8 -nocrypt -in " + file);
            }
        }
        throw new IOException(file + " has no private key in PEM form (-----BEGIN PRIVATE KEY-----)");
    }
}
