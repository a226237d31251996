"""What files have, and what it means.

  jsonfile     reads JSON
  linefile     writes lines of JSON, each of them whole
  formats      checks all that is read
  points       what is measured
  results      records of what was measured
  environment  what of the hosts counts for a comparison
  sources      where results come from
"""
