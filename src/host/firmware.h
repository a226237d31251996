/*
 * Counts the commands that a driver gives to the firmware of its device, as far
 * as the driver counts them: mlx5 in debugfs, which usually only root can read.
 * They are those of all processes.
 */
#pragma once

#include "model/control.h"

struct firmware_counts;

/* Read the counts of the RDMA device NAME; NULL: there are none.  free(3)
 * them. */
struct firmware_counts *firmware_read(const char *name);

/* Put the commands from BEFORE to AFTER, either of which may be NULL, into
 * given, ns and named of COMMANDS.  False if they are not known, with why in
 * its reason. */
bool firmware_between(const struct firmware_counts *before,
		      const struct firmware_counts *after,
		      struct control_commands *commands);
