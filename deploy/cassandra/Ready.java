import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Waits until a local cluster is of use to a client.
 *
 * <p>Usage: Ready SECONDS NODE..., each NODE written IP:JMXPORT:PID. With 0 seconds it looks once.
 *
 * <p>A cluster is ready when each node answers CQL, lists every other node in full in
 * system.peers_v2, agrees with them on the schema, and (asked through JMX) is in NORMAL mode and
 * sees all of them live. Logs in as CASSANDRA_USER / CASSANDRA_PASSWORD (default
 * cassandra/cassandra) if the node asks for it.
 *
 * <p>Exit codes: 0 ready; 1 not in time, the reason on stderr; 2 wrong usage; 3 a node's process
 * has gone.
 *
 * <p>Speaks the native protocol, version 4, by hand, so that no driver is needed:
 * https://cassandra.apache.org/doc/latest/cassandra/reference/native-protocol.html
 */
public final class Ready {
    private static final int CQL_PORT = 9042;
    private static final int CALL_TIMEOUT_MS = 5000;

    private static final int ERROR = 0x00, STARTUP = 0x01, READY = 0x02;
    private static final int QUERY = 0x07, RESULT = 0x08, AUTH_RESPONSE = 0x0F, AUTH_SUCCESS = 0x10;

    private record Node(String ip, int jmxPort, long pid) {}

    public static void main(String[] args) throws InterruptedException {
        if (args.length < 2) {
            System.err.println("usage: Ready SECONDS IP:JMXPORT:PID...");
            System.exit(2);
        }
        // JMX has no time limits of its own against a server that has frozen.
        System.setProperty("sun.rmi.transport.tcp.handshakeTimeout", "" + CALL_TIMEOUT_MS);
        System.setProperty("sun.rmi.transport.tcp.responseTimeout", "" + CALL_TIMEOUT_MS);
        long deadline = System.nanoTime() + Long.parseLong(args[0]) * 1_000_000_000L;
        List<Node> nodes = new ArrayList<>();
        for (int i = 1; i < args.length; i++) {
            String[] part = args[i].split(":");
            nodes.add(new Node(part[0], Integer.parseInt(part[1]), Long.parseLong(part[2])));
        }
        while (true) {
            for (Node node : nodes) {
                if (!ProcessHandle.of(node.pid).map(ProcessHandle::isAlive).orElse(false)) {
                    System.err.println(node.ip + ": process " + node.pid + " has gone");
                    System.exit(3);
                }
            }
            String reason = lacking(nodes);
            if (reason == null) {
                System.exit(0);
            }
            if (System.nanoTime() >= deadline) {
                System.err.println(reason);
                System.exit(1);
            }
            Thread.sleep(500);
        }
    }

    /** What the cluster still lacks, or null if it is ready. */
    private static String lacking(List<Node> nodes) {
        Set<String> schemas = new TreeSet<>();
        for (Node node : nodes) {
            try {
                schemas.add(askCql(node, nodes.size() - 1));
                askJmx(node, nodes);
            } catch (Exception e) {
                String message = e.getMessage() == null ? e.toString() : e.getMessage();
                return node.ip + ": " + message.lines().findFirst().orElse("");
            }
        }
        return schemas.size() == 1 ? null : "the nodes do not agree on the schema yet";
    }

    /** Asks the node for its view by CQL; returns its schema version. */
    private static String askCql(Node node, int others) throws IOException {
        try (Socket socket = new Socket()) {
            socket.setSoTimeout(CALL_TIMEOUT_MS);
            try {
                socket.connect(new InetSocketAddress(node.ip, CQL_PORT), CALL_TIMEOUT_MS);
            } catch (IOException e) {
                throw new IOException("no CQL on port " + CQL_PORT + " (" + e.getMessage() + ")", e);
            }
            DataOutputStream out = new DataOutputStream(socket.getOutputStream());
            DataInputStream in = new DataInputStream(socket.getInputStream());
            login(in, out);
            List<List<String>> local = query(in, out,
                    "SELECT release_version, schema_version FROM system.local");
            if (local.size() != 1 || local.get(0).contains(null)) {
                throw new IOException("system.local is not filled yet");
            }
            int whole = 0;
            for (List<String> peer : query(in, out, "SELECT host_id, native_address, data_center, rack,"
                    + " release_version, schema_version, tokens FROM system.peers_v2")) {
                whole += peer.contains(null) ? 0 : 1;
            }
            if (whole != others) {
                throw new IOException("system.peers_v2 lists " + whole + " of " + others + " other nodes");
            }
            return local.get(0).get(1);
        }
    }

    private static void login(DataInputStream in, DataOutputStream out) throws IOException {
        ByteBuffer body = ByteBuffer.allocate(64);
        body.putShort((short) 1);
        putString(body, "CQL_VERSION");
        putString(body, "3.0.0");
        send(out, STARTUP, body);
        if (receive(in).opcode == READY) {
            return;
        }
        byte[] token = ("\0" + env("CASSANDRA_USER") + "\0" + env("CASSANDRA_PASSWORD"))
                .getBytes(StandardCharsets.UTF_8);
        body = ByteBuffer.allocate(4 + token.length).putInt(token.length).put(token);
        send(out, AUTH_RESPONSE, body);
        int opcode = receive(in).opcode;
        if (opcode != AUTH_SUCCESS) {
            throw new IOException("unexpected answer to the login, opcode " + opcode);
        }
    }

    /** Runs a statement; each cell is null or its bytes, one char per byte (good enough to compare). */
    private static List<List<String>> query(DataInputStream in, DataOutputStream out, String cql)
            throws IOException {
        byte[] text = cql.getBytes(StandardCharsets.UTF_8);
        ByteBuffer body = ByteBuffer.allocate(text.length + 7);
        body.putInt(text.length).put(text);
        body.putShort((short) 1); // consistency ONE
        body.put((byte) 0x02); // flags: skip metadata
        send(out, QUERY, body);
        Frame answer = receive(in);
        ByteBuffer b = answer.body;
        if (answer.opcode != RESULT || b.getInt() != 2 /* rows */) {
            throw new IOException("unexpected answer to a query, opcode " + answer.opcode);
        }
        b.getInt(); // flags: only "no metadata", the result being one page
        int columns = b.getInt();
        int rows = b.getInt();
        List<List<String>> result = new ArrayList<>();
        for (int r = 0; r < rows; r++) {
            List<String> row = new ArrayList<>();
            for (int c = 0; c < columns; c++) {
                int length = b.getInt();
                row.add(length < 0 ? null : getString(b, length));
            }
            result.add(row);
        }
        return result;
    }

    /** Throws unless the node is in NORMAL mode and sees all nodes live and none joining. */
    private static void askJmx(Node node, List<Node> nodes) throws Exception {
        JMXServiceURL url = new JMXServiceURL(
                "service:jmx:rmi:///jndi/rmi://127.0.0.1:" + node.jmxPort + "/jmxrmi");
        try (var connector = JMXConnectorFactory.connect(url)) {
            MBeanServerConnection mbeans = connector.getMBeanServerConnection();
            ObjectName service = new ObjectName("org.apache.cassandra.db:type=StorageService");
            Object mode = mbeans.getAttribute(service, "OperationMode");
            if (!"NORMAL".equals(mode)) {
                throw new IOException("is in mode " + mode);
            }
            List<?> live = (List<?>) mbeans.getAttribute(service, "LiveNodes");
            List<?> joining = (List<?>) mbeans.getAttribute(service, "JoiningNodes");
            for (Node other : nodes) {
                if (!live.contains(other.ip) || joining.contains(other.ip)) {
                    throw new IOException("does not see " + other.ip + " up and normal yet");
                }
            }
        }
    }

    private record Frame(int opcode, ByteBuffer body) {}

    private static void send(DataOutputStream out, int opcode, ByteBuffer body) throws IOException {
        out.writeByte(4); // protocol version
        out.writeByte(0); // flags
        out.writeShort(0); // stream
        out.writeByte(opcode);
        out.writeInt(body.position());
        out.write(body.array(), 0, body.position());
        out.flush();
    }

    private static Frame receive(DataInputStream in) throws IOException {
        in.readInt(); // version, flags, stream
        int opcode = in.readUnsignedByte();
        byte[] bytes = new byte[in.readInt()];
        in.readFully(bytes);
        ByteBuffer body = ByteBuffer.wrap(bytes);
        if (opcode == ERROR) {
            int code = body.getInt();
            throw new IOException(String.format("error 0x%04x: %s", code, getString(body, body.getShort())));
        }
        return new Frame(opcode, body);
    }

    private static void putString(ByteBuffer body, String s) {
        byte[] bytes = s.getBytes(StandardCharsets.UTF_8);
        body.putShort((short) bytes.length).put(bytes);
    }

    private static String getString(ByteBuffer body, int length) {
        byte[] bytes = new byte[length];
        body.get(bytes);
        return new String(bytes, StandardCharsets.ISO_8859_1);
    }

    private static String env(String name) {
        return System.getenv().getOrDefault(name, "cassandra");
    }
}
