#include "config.h"
#include "net/lookup.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/time.h"
#include "base/xalloc.h"
#include "net/wait.h"

/* Counts its users: either the thread or the waiting caller may leave last. */
struct job {
	_Atomic int users;
	int done_fd;		/* an eventfd: the answer is ready */
	char *host, *service;
	struct addrinfo hints;
	struct addrinfo *list;
	int ret, errnum;
};

static void leave(struct job *job)
{
	if (atomic_fetch_sub(&job->users, 1) > 1)
		return;
	if (job->list)
		freeaddrinfo(job->list);
	close(job->done_fd);
	free(job->host);
	free(job->service);
	free(job);
}

static void ask(struct job *job)
{
	job->ret = getaddrinfo(job->host, job->service, &job->hints,
			       &job->list);
	job->errnum = errno;
	if (job->ret)
		job->list = NULL;
}

static void *run(void *argument)
{
	const uint64_t one = 1;
	struct job *job = argument;

	ask(job);
	/* cannot fail: the counter is far from its limit */
	while (write(job->done_fd, &one, sizeof(one)) < 0)
		;
	leave(job);
	return NULL;
}

static char *copy(const char *text)
{
	return text ? strdup(text) : NULL;
}

static struct job *new_job(const char *host, const char *service,
			   const struct addrinfo *hints)
{
	struct job *job = xcalloc(1, sizeof(*job));

	job->users = 1;
	job->host = copy(host);
	job->service = copy(service);
	job->hints = *hints;
	job->done_fd = eventfd(0, EFD_CLOEXEC);
	return job;
}

/* Numeric addresses, and any address of this host, need no name server. */
static bool answer_at_once(struct job *job)
{
	int flags = job->hints.ai_flags;

	job->hints.ai_flags |= AI_NUMERICHOST;
	ask(job);
	job->hints.ai_flags = flags;
	return !job->ret || !job->host;
}

/* Start the thread and wait for its answer. */
static int wait_for_answer(struct job *job, const struct patience *patience,
			   struct error *err)
{
	uint64_t deadline = time_after(patience->limit), n;
	pthread_t thread;
	int ret;

	job->users++;
	ret = job->done_fd < 0 ? EMFILE :
				 pthread_create(&thread, NULL, run, job);
	if (ret) {
		job->users--;
		return fail(err, -ret, NULL, "cannot start a thread: %s",
			    strerror(ret));
	}
	pthread_detach(thread);
	do {
		ret = oob_wait(job->done_fd, POLLIN, patience->cancel_fd,
			       deadline, err);
	} while (ret == 1);
	/* this read orders the thread's earlier writes before what follows */
	while (!ret && read(job->done_fd, &n, sizeof(n)) < 0)
		;
	return ret;
}

/* The answer of JOB. */
static int take(struct job *job, struct addrinfo **list, const char **why)
{
	if (job->ret) {
		*why = job->ret == EAI_SYSTEM ? strerror(job->errnum) :
						gai_strerror(job->ret);
		return 1;
	}
	*list = job->list;
	job->list = NULL;
	return 0;
}

int lookup(const char *host, const char *service,
	   const struct addrinfo *hints, const struct patience *patience,
	   struct addrinfo **list, const char **why, struct error *err)
{
	struct job *job = new_job(host, service, hints);
	int ret = 0;

	if (!answer_at_once(job))
		ret = wait_for_answer(job, patience, err);
	if (!ret)
		ret = take(job, list, why);
	leave(job);
	return ret;
}
