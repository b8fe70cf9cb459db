// Package chaos is a campaign of faults against the whole program: it holds tests
// alone.
//
// A schedule is drawn from a seed: a simulated cluster and its faults, a table, an input or an
// output, and when the program is killed. The program is the test binary itself, started as a
// process of its own, so that SIGKILL takes it as it would take the real one; it is gone on with
// until it ends by itself. Then the cluster, the files and the summary are compared with what the
// schedule's own model says: no row lost, none twice, no hang, exit status and numbers true. A
// quarter of the loads streams: storage ports then fail and cut off sessions and go down, and each
// replica must have all of its rows, with one timestamp each. So does half of the scans, whose
// ports hang besides, send chunks that are broken, and move.
//
// The schedules of TestRings are of rings that change: nodes join, leave, move, are replaced and
// removed, and the replication is altered, at any time of loads, scans, counts and clones by
// streaming, and of loads by CQL. Each node of those clusters holds rows of its own. In the end the
// change that is under way is finished, and each replica must hold what writes by CQL would have
// left there: all rows, with the same timestamps, and none that expires before its TTL has passed
// since the process began that sent it. Or the run failed, and going on with it repairs that.
//
// TestCampaign runs the schedules of a few seeds, and so does TestRings.
// CQLBULK_TEST_CHAOS_SCHEDULES is how many, CQLBULK_TEST_CHAOS_SEED the first seed and
// CQLBULK_TEST_CHAOS_TIME when to begin no more. A seed that fails is named with the command that
// runs it again:
//
//	go test ./internal/test/chaos -run TestCampaign -seed 17
//
// With -artifacts the files of the schedule stay. A seed decides what is asked and
// what goes wrong, but not how the processes' goroutines take turns: a rare failure
// may need more than one run.
package chaos
