package org.heapspan.benchmarks.exchange;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;

/** A certificate for a server at the loopback address, made by the {@code keytool} of the JDK. */
final class ServerCertificate {
    private static final String NAME = "server";
    private static final String PASSWORD = "password";

    private ServerCertificate() {}

    /** Writes the certificate and its key to one file in PEM form. */
    static Path make(Path folder) throws IOException, InterruptedException {
        Path store = folder.resolve("store.p12");
        Process keytool = new ProcessBuilder(List.of(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD,
                        "-alias",
                        NAME,
                        "-dname",
                        "CN=" + NAME,
                        "-keyalg",
                        "EC",
                        "-ext",
                        "san=ip:127.0.0.1"))
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (keytool.waitFor() != 0) {
            throw new IOException("keytool has failed: " + said);
        }
        try {
            KeyStore keys = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
            return Files.writeString(
                    folder.resolve("server.pem"),
                    pem("CERTIFICATE", keys.getCertificate(NAME).getEncoded())
                            + pem(
                                    "PRIVATE KEY",
                                    keys.getKey(NAME, PASSWORD.toCharArray()).getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IOException("the certificate that keytool has made cannot be read", e);
        }
    }

    private static String pem(String label, byte[] content) {
        return "-----BEGIN " + label + "-----\n" + Base64.getMimeEncoder().encodeToString(content) + "\n-----END "
                + label + "-----\n";
    }
}
