package help

// ExitStatus ends every command's help.
const ExitStatus = `
Exit status:
  0    all done
  1    wrong usage or configuration; nothing was done
  2    done, but some rows or token ranges failed, and are listed
  3    stopped by a limit on errors (load)
  4    fatal: the cluster could not be reached, or the run could not continue
  130  interrupted`

// exitTopic says more of them.
const exitTopic = ExitStatus + `

2 is an answer, not an accident: all else was done, and cqlbulk retry tries again what
failed. For verify it means that something is not as stated. For inspect, some SSTables
could not be read. For doctor and --check, something would fail. 3 comes of
--maxparseerrors and --maxinserterrors, or if nearly every row was rejected. A resume or
a retry ends with 4 if another process has the run directory. After 3, 4 and 130,
cqlbulk resume continues a run that keeps a journal. A second signal ends the program at
once. A fault of cqlbulk itself ends it with 4, or by SIGABRT, which a shell calls 134;
please report what it printed.`
