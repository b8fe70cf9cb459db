import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.List;
import javax.management.Attribute;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Keeps one JMX connection to a node open, and does what it reads from the standard input, a line
 * for each: nodetool would open a new one for every question, and the node's work for that would be
 * measured with a load's.
 *
 * <p>{@code flush KEYSPACE TABLE} answers {@code ok} when the table's memtable is on the disk;
 * {@code compactions} answers how many compactions run or wait; {@code streamout MEBIBYTES} sets how
 * much a second the node streams out at most, 0 being no limit, and answers {@code ok}. The answer to
 * a command that fails is the text of the error.
 *
 * <p>Usage: NodeAgent JMX-PORT
 */
final class NodeAgent {
    public static void main(String[] args) throws Exception {
        JMXServiceURL url = new JMXServiceURL("service:jmx:rmi:///jndi/rmi://127.0.0.1:" + args[0] + "/jmxrmi");
        try (var connector = JMXConnectorFactory.connect(url)) {
            MBeanServerConnection beans = connector.getMBeanServerConnection();
            BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String answer;
                try {
                    answer = answer(beans, line.split(" "));
                } catch (Exception e) {
                    answer = String.valueOf(e).replace('\n', ' ');
                }
                System.out.println(answer);
            }
        }
    }

    private static String answer(MBeanServerConnection beans, String[] words) throws Exception {
        switch (words[0]) {
            case "flush":
                beans.invoke(
                        new ObjectName("org.apache.cassandra.db:type=StorageService"),
                        "forceKeyspaceFlush",
                        new Object[] {words[1], new String[] {words[2]}},
                        new String[] {String.class.getName(), String[].class.getName()});
                return "ok";
            case "compactions":
                Object waiting = beans.getAttribute(
                        new ObjectName("org.apache.cassandra.metrics:type=Compaction,name=PendingTasks"), "Value");
                Object running = beans.getAttribute(
                        new ObjectName("org.apache.cassandra.db:type=CompactionManager"), "CompactionSummary");
                return String.valueOf(((Number) waiting).intValue() + ((List<?>) running).size());
            case "streamout":
                // A program that is no node is in no data center, so it is limited as another one is, too.
                for (String limit : List.of(
                        "StreamThroughputMebibytesPerSec",
                        "InterDCStreamThroughputMebibytesPerSec",
                        "EntireSSTableStreamThroughputMebibytesPerSec",
                        "EntireSSTableInterDCStreamThroughputMebibytesPerSec")) {
                    beans.setAttribute(
                            new ObjectName("org.apache.cassandra.db:type=StorageService"),
                            new Attribute(limit, Integer.valueOf(words[1])));
                }
                return "ok";
            default:
                return "no such command: " + words[0];
        }
    }
}
