/* test_gate_create.c - what cgw_errno says of a path that cgw_create does not
   take: a true reason, never what errno happened to be.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#include "cgw.h"
#include "support.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BEFORE ENOTSUP /* no reason of any of these */

static char *directory;
static char path[4096];
static char other[4096];

static void
set_up (void)
{
  directory = make_directory ();
  snprintf (path, sizeof path, "%.4000s/path", directory);
  close (open_in (directory, "other", other));
}

static void
tear_down (void)
{
  remove_directory (directory);
}

TestSuite (gate_create, .init = set_up, .fini = tear_down, .timeout = 60);

static void
check_refused (const char *name, enum cgw_status status, int reason)
{
  struct cgw_writer *w;

  errno = BEFORE;
  cr_assert_eq (cgw_create (&w, test_names (), name, NULL), status, "%s", name);
  cr_assert_eq (errno, BEFORE);
  cr_assert_not_null (w);
  cr_assert_eq (cgw_error (w, NULL), status);
  cr_assert_eq (cgw_errno (w), reason, "cgw_errno: %s",
                strerror (cgw_errno (w)));
  cgw_free (w);
}

Test (gate_create, symbolic_link)
{
  cr_assert_eq (symlink (other, path), 0);
  check_refused (path, CGW_EFILE, ELOOP);
}

Test (gate_create, second_hard_link)
{
  cr_assert_eq (link (other, path), 0);
  check_refused (path, CGW_EFILE, EMLINK);
  check_refused (other, CGW_EFILE, EMLINK);
}

Test (gate_create, device)
{
  check_refused ("/dev/null", CGW_EFILE, EINVAL);
}

Test (gate_create, fifo_with_a_reader)
{
  int fd;

  cr_assert_eq (mkfifo (path, 0600), 0);
  fd = open (path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  cr_assert_neq (fd, -1);
  check_refused (path, CGW_EFILE, EINVAL);
  close (fd);
}

Test (gate_create, fifo_without_a_reader)
{
  cr_assert_eq (mkfifo (path, 0600), 0);
  check_refused (path, CGW_EFILE, ENXIO);
}

Test (gate_create, socket)
{
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  int fd = socket (AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

  cr_assert_neq (fd, -1);
  if (strlen (path) >= sizeof address.sun_path)
    cr_skip_test ("the path is too long for a socket");
  memcpy (address.sun_path, path, strlen (path) + 1);
  cr_assert_eq (bind (fd, (struct sockaddr *) &address, sizeof address), 0);
  check_refused (path, CGW_EFILE, ENXIO);
  close (fd);
}

Test (gate_create, directory)
{
  check_refused (directory, CGW_EFILE, EISDIR);
}

Test (gate_create, file_of_another_user)
{
  if (geteuid () != 0)
    cr_skip_test ("needs root");
  cr_assert_eq (chown (other, 12345, (gid_t) -1), 0);
  check_refused (other, CGW_EFILE, EPERM);
}

/* Whose it is comes first: its owner may add links at any time.  */
Test (gate_create, linked_file_of_another_user)
{
  if (geteuid () != 0)
    cr_skip_test ("needs root");
  cr_assert_eq (chown (other, 12345, (gid_t) -1), 0);
  cr_assert_eq (link (other, path), 0);
  check_refused (path, CGW_EFILE, EPERM);
}

Test (gate_create, missing_directory)
{
  snprintf (path, sizeof path, "%.4000s/missing/path", directory);
  check_refused (path, CGW_EIO, ENOENT);
}
