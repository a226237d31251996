"""What every command needs.

  errors       why a command ends early
  command      how it reads its arguments and complains
  tables       figures, times and tables as people read them
"""
