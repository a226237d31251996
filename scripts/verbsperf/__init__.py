"""What verbsperf-sweep, -cluster, -compare, -plot and -selftest do.

  commands     sweep, cluster, compare, plot, selftest, each with its options;
               command is what they share, errors why they end early
  results      jsonfile reads files, formats checks what is in them, points
               and results make of it what was measured; sources says where it
               comes from
  verbsperf    program finds it, and asks it for its options
  a sweep      suite and target say what is measured and where, in options of
               verbsperf; rounds in which order, and for how long; measure does
               it once, sweepfile keeps it, progress shows it, and sweeping
               puts them together; contents shows a file
  a cluster    nodesets and patterns say who measures with whom; launch gets
               the agent onto the nodes, and the coordinator speaks with it;
               fleet runs a round, clustering all of them, findings what is
               slow, and beside what explains it; clusterprogress shows how
               far it is, clusterfile keeps it, and clusterview, clusterpage
               and heatmap show it; clustercompare compares two of it
  statistics   stats; verdict decides
  a comparison sides finds what belongs together, alike refuses what does not,
               and environment says what of the hosts counts for it; comparison
               makes the report of it, tables its text; question has what is
               asked, as options
  verdicts     limits says which limits a sweep met; cases is what programs read
               of that and of a comparison, and reports writes it as JUnit,
               OpenMetrics and for GitHub
  a history    history keeps many nights in one file; steps finds since when
               they are slower, nights says what of it is shown, and
               historyplot draws it
  --nics       setups says what is compared and what differs, ranking who is
               ahead, nics makes the report of it, nicstables its text and
               page, nicsplots its pictures
  pictures     series makes curves, which labels names, for each kind of
               picture; spans says what the axes show; figure, axes, looks
               and nicsplots draw with matplotlib, and nothing else imports
               it
"""
