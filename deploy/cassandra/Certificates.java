import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.Key;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.Collections;

/**
 * Takes a keystore that keytool filled apart, since keytool itself writes no private key as PEM.
 *
 * <p>Usage: Certificates FOLDER PASSWORD. Of FOLDER/all.p12, which holds the certification
 * authority "ca", the nodes "node1" and so on, and "client", it makes in the same folder: a keystore
 * for each node (node1.p12), a truststore with the authority's certificate (trust.p12), and for
 * clients ca.pem, client.pem and client-key.pem.
 */
public final class Certificates {
    public static void main(String[] args) throws Exception {
        Path folder = Path.of(args[0]);
        char[] password = args[1].toCharArray();
        KeyStore all = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(folder.resolve("all.p12"))) {
            all.load(in, password);
        }
        Certificate ca = all.getCertificate("ca");
        KeyStore trust = empty();
        trust.setCertificateEntry("ca", ca);
        write(trust, folder.resolve("trust.p12"), password);
        for (String alias : Collections.list(all.aliases())) {
            if (alias.startsWith("node")) {
                KeyStore node = empty();
                node.setKeyEntry(alias, all.getKey(alias, password), password, all.getCertificateChain(alias));
                write(node, folder.resolve(alias + ".p12"), password);
            }
        }
        pem(folder.resolve("ca.pem"), "CERTIFICATE", ca.getEncoded());
        pem(folder.resolve("client.pem"), "CERTIFICATE", all.getCertificate("client").getEncoded());
        Key key = all.getKey("client", password);
        pem(folder.resolve("client-key.pem"), "PRIVATE KEY", key.getEncoded()); // PKCS #8
    }

    private static KeyStore empty() throws Exception {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static void write(KeyStore store, Path file, char[] password) throws Exception {
        try (OutputStream out = Files.newOutputStream(file)) {
            store.store(out, password);
        }
    }

    private static void pem(Path file, String what, byte[] der) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        Files.writeString(file, "-----BEGIN " + what + "-----\n" + text + "\n-----END " + what + "-----\n");
    }
}
