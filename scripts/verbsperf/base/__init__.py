"""What every command needs.

  errors       why a command ends early
  command      how it reads its arguments, says things, and ends
  foreign      what others wrote, made harmless in each format
  missing      what to say of a library that this Python lacks
  progress     what it shows while it measures
  tables       figures, times and tables as people read them
"""
