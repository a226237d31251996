"""What files have, and what it means.

  jsonfile     reads JSON
  writer       writes files, whole or line by line
  fields       tables of what an object needs
  formats      checks all that is read
  points       what is measured
  results      records of what was measured
  environment  what of the hosts counts for a comparison
  sources      where results come from
"""
