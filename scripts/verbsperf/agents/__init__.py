"""The agents on the nodes of a cluster, and what they are told.

  agent        the end on a node; it is sent there as it is
  launch       gets it there: by ssh, by srun, by any command
  coordinator  the end here: it speaks with all agents
  fleet        a round: pairs that connect, and measure at the same time
"""
