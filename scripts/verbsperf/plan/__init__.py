"""What is to be measured, and where, in options of verbsperf.

  program      finds verbsperf, and asks it for its version and options
  options      options as suites and targets have them
  target       where
  suite        what
"""
