/* Lists the RDMA devices that this machine has, with those that libibverbs
 * leaves out and why. */
#include "config.h"
#include "verbs/device_list.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/descriptors.h"
#include "base/sysfs.h"
#include "base/units.h"
#include "base/xalloc.h"

static const char no_device_advice[] =
	"load the driver, or make a software device: modprobe rdma_rxe; "
	"rdma link add rxe0 type rxe netdev INTERFACE";

/* Descriptors that libibverbs has open at once while it looks for devices and
 * for their drivers. */
#define NEEDED 4

/* Report that there are too few descriptors, which libibverbs does not. */
static int no_descriptors(struct error *err)
{
	return fail_errno(err, EMFILE, NULL, "cannot look for RDMA devices");
}

static bool is_listed(const struct device_list *list, const char *name)
{
	for (size_t i = 0; i < list->n; i++)
		if (!strcmp(list->listed[i].name, name))
			return true;
	return false;
}

static void add(struct device_list *list, const char *name, const char *file,
		struct ibv_device *device)
{
	struct listed *l = &list->listed[list->n++];

	snprintf(l->name, sizeof(l->name), "%s", name);
	snprintf(l->file, sizeof(l->file), "%s", file);
	l->device = device;
}

/* Find the file of device NAME in /dev/infiniband; FILE is "" if there is
 * none. */
static void find_file(const glob_t *files, const char *name, char *file,
		      size_t size)
{
	char line[PORT_NAME_SIZE];

	file[0] = '\0';
	for (size_t i = 0; i < files->gl_pathc; i++)
		if (sysfs_read(line, sizeof(line), "%s/ibdev",
			       files->gl_pathv[i]) && !strcmp(line, name))
			snprintf(file, size, "%s",
				 basename(files->gl_pathv[i]));
}

/* List the entries of CLASS in the sysfs tree that libibverbs uses.  globfree()
 * FOUND. */
static void list_class(const char *class, glob_t *found)
{
	const char *sys = getenv("SYSFS_PATH");
	char pattern[PATH_MAX];

	snprintf(pattern, sizeof(pattern), "%s/class/%s/*",
		 sys ? sys : "/sys", class);
	if (glob(pattern, 0, NULL, found))
		*found = (glob_t){ .gl_pathc = 0 };
}

static void add_unlisted(const glob_t *names, struct device_list *list)
{
	glob_t files;

	list_class("infiniband_verbs", &files);
	for (size_t i = 0; i < names->gl_pathc; i++) {
		const char *name = basename(names->gl_pathv[i]);
		char file[PORT_NAME_SIZE];

		if (is_listed(list, name))
			continue;
		find_file(&files, name, file, sizeof(file));
		add(list, name, file, NULL);
	}
	globfree(&files);
}

int device_list_none(struct error *err)
{
	return fail(err, -ENODEV, no_device_advice,
		    "there is no RDMA device on this machine");
}

int device_list_read(struct device_list *list, struct error *err)
{
	glob_t names;
	int n = 0, errnum;

	*list = (struct device_list){ .devices = ibv_get_device_list(&n) };
	errnum = list->devices ? 0 : errno;
	list_class("infiniband", &names);
	list->listed = xcalloc((size_t)n + names.gl_pathc + 1,
			       sizeof(*list->listed));
	for (int i = 0; i < n; i++)
		add(list, ibv_get_device_name(list->devices[i]),
		    list->devices[i]->dev_name, list->devices[i]);
	add_unlisted(&names, list);
	globfree(&names);
	if (list->n)
		return 0;
	device_list_free(list);
	if (!descriptors_left(NEEDED))
		return no_descriptors(err);
	/* ENOSYS: the kernel has nothing of RDMA loaded */
	if (errnum && errnum != ENOSYS)
		return fail_errno(err, errnum, no_device_advice,
				  "cannot list RDMA devices");
	return device_list_none(err);
}

void device_list_free(struct device_list *list)
{
	if (list->devices)
		ibv_free_device_list(list->devices);
	free(list->listed);
	*list = (struct device_list){ .n = 0 };
}

static const char *advice_of(int errnum)
{
	if (errnum == ENOENT)
		return "give the container its device files, as docker run "
		       "--device=/dev/infiniband does; outside a container, "
		       "check that udev is running";
	if (errnum == EACCES || errnum == EPERM)
		return "let this user read and write that file; give a "
		       "container the device (docker run "
		       "--device=/dev/infiniband)";
	if (errnum == EAGAIN)
		return "a control group of the process may allow it to open "
		       "the device no more often (rdma.max)";
	if (errnum == EMFILE)
		return NULL;
	return "check that the package ibverbs-providers is installed, with "
	       "this device's driver";
}

/* The errno of opening the file at PATH, which libibverbs hides; 0: it
 * opens. */
static int file_errno(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC), errnum = fd < 0 ? errno : 0;

	if (fd >= 0)
		close(fd);
	return errnum;
}

/* Report a device whose file can be opened but which libibverbs rejects. */
static int not_taken(const struct listed *listed, int errnum, struct error *err)
{
	if (!listed->device && !descriptors_left(NEEDED))
		return no_descriptors(err);
	if (!listed->device)
		return fail(err, -ENODEV, advice_of(ENODEV),
			    "%s: libibverbs has no driver for it",
			    listed->name);
	return fail_errno(err, errnum, advice_of(errnum),
			  "%s: libibverbs cannot open it", listed->name);
}

int device_list_open(const struct listed *listed, struct ibv_context **context,
		     struct error *err)
{
	char path[32 + PORT_NAME_SIZE];
	int errnum, file;

	if (!listed->device && !listed->file[0])
		return fail(err, -ENODEV, "load its module: modprobe ib_uverbs",
			    "%s: it has no file in /dev/infiniband",
			    listed->name);
	errno = 0;
	*context = listed->device ? ibv_open_device(listed->device) : NULL;
	if (*context)
		return 0;
	errnum = errno ? errno : EIO;
	snprintf(path, sizeof(path), "/dev/infiniband/%s", listed->file);
	file = file_errno(path);
	if (!file)
		return not_taken(listed, errnum, err);
	return fail_errno(err, file, advice_of(file), "%s: cannot open %s",
			  listed->name, path);
}

int device_list_no_such(const struct device_list *list, const char *name,
			struct error *err)
{
	char names[200] = "";

	for (size_t i = 0; i < list->n; i++)
		text_append(names, sizeof(names), "%s%s", i ? ", " : "",
			    list->listed[i].name);
	return fail(err, -ENODEV, NULL,
		    "--device %s: not found; this machine has %s", name,
		    names);
}
