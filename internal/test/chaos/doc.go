// Package chaos is a campaign of faults against the whole program: it holds only tests.
//
// A schedule is drawn from a seed: a simulated cluster and its faults, a table, an input or an
// output, and when the program is killed. The program is the test binary itself, started as a
// process of its own, so that SIGKILL ends it as it would end the real one. The schedule resumes it
// until it ends by itself. Then it compares the cluster, the files and the summary with its own
// model: no row lost, none twice, no hang, exit status and numbers true. A quarter of the loads
// streams. Storage ports then fail and cut off sessions and go down, and each replica must have all
// of its rows, with one timestamp each. Half of the scans stream. Their ports also hang, send
// chunks that are broken, and move.
//
// The schedules of TestRings are of rings that change. Nodes join, leave, move, are replaced and
// removed, and the replication is altered. That happens at any time of loads, scans, counts and
// clones by streaming, and of loads by CQL. Each node of those clusters holds rows of its own. In
// the end the change under way is finished, and each replica must hold what writes by CQL would
// have left there. These are all rows, with the same timestamps, and none may expire before its TTL
// has passed since the start of the process that sent it. Or the run failed, and its resume repairs
// that.
//
// TestCampaign and TestRings run the schedules of a few seeds. CQLBULK_TEST_CHAOS_SCHEDULES is
// their number, and CQLBULK_TEST_CHAOS_SEED the first seed. After CQLBULK_TEST_CHAOS_TIME no more
// schedules begin. If a seed fails, the message has the command that runs it again:
//
//	go test ./internal/test/chaos -run TestCampaign -seed 17
//
// With -artifacts the files of the schedule stay. A seed decides the requests and the faults, but
// not how the processes' goroutines take turns: a rare failure may need more than one run.
package chaos
