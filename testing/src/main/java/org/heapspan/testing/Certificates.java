package org.heapspan.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/** Certificates and keys in PEM form, made by the {@code keytool} of the JDK. */
public final class Certificates {
    private static final String PASSWORD = "password";

    private final Path folder;
    private final Path store;

    /** Makes files in a folder. */
    public Certificates(Path folder) {
        this.folder = folder;
        store = folder.resolve("keys.p12");
    }

    /**
     * Makes a key and its certificate.
     *
     * @param options of {@code keytool -genkeypair}; without {@code -signer} it is signed by itself
     */
    public void make(String name, String... options) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin/keytool").toString(),
                "-J-XX:TieredStopAtLevel=1",
                "-genkeypair",
                "-keystore",
                store.toString(),
                "-storetype",
                "PKCS12",
                "-storepass",
                PASSWORD,
                "-alias",
                name,
                "-dname",
                "CN=" + name));
        command.addAll(List.of(options));
        if (!command.contains("-keyalg")) {
            command.addAll(List.of("-keyalg", "EC", "-groupname", "secp256r1"));
        }
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() != 0) {
            throw new IOException(said);
        }
        try {
            KeyStore made = KeyStore.getInstance(store.toFile(), PASSWORD.toCharArray());
            StringBuilder chain = new StringBuilder();
            for (Certificate each : made.getCertificateChain(name)) {
                chain.append(pem("CERTIFICATE", each.getEncoded()));
            }
            Files.writeString(certificate(name), chain);
            Files.writeString(
                    key(name),
                    pem("PRIVATE KEY", made.getKey(name, PASSWORD.toCharArray()).getEncoded()));
        } catch (GeneralSecurityException e) {
            throw new IOException("what keytool has made cannot be read", e);
        }
    }

    private static String pem(String label, byte[] content) {
        return "-----BEGIN " + label + "-----\n" + Base64.getMimeEncoder().encodeToString(content) + "\n-----END "
                + label + "-----\n";
    }

    /** The file of a certificate, and of those that have signed it. */
    public Path certificate(String name) {
        return folder.resolve(name + ".crt");
    }

    /** The file of its key. */
    public Path key(String name) {
        return folder.resolve(name + ".key");
    }
}
