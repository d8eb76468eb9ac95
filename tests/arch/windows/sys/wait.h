/* wait.h - nothing waits where nothing forks.  See ../posix.h.

   Copyright (C) 2026 the libcgw authors.  SPDX-License-Identifier: MIT  */

#define waitpid(process, status, options) arch_no_system_call ()
#define WIFEXITED(status) ((status) == 0)
#define WEXITSTATUS(status) (status)
#define WIFSIGNALED(status) ((status) != 0)
#define WTERMSIG(status) (status)
