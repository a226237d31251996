"""What each comparison simulates first, of as many rounds as tests have: once,
in the process that commands are forked from."""
import numpy

from verbsperf.stats import noise

noise.noise_of([numpy.linspace(0, 1, rounds) for rounds in (6, 10)])
