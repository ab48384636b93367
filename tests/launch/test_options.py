# SPDX-FileCopyrightText: 2026 The Starling authors
# SPDX-License-Identifier: BSD-3-Clause
"""The command line: parts, environment, folders, places, and what is refused."""
import os
import resource
import subprocess
import tempfile
import unittest

from launch_support import MPIEXEC, PROBE, SANITIZED, STARLING, Job, LaunchTest, main, run


class Options(LaunchTest):
    def test_every_name_for_the_number_of_ranks_works(self):
        for option in ("-n", "-np", "--n", "--np"):
            self.assertEqual(run(option, "2", "echo", "x").out, "x\nx\n", option)

    def test_without_a_number_one_rank_runs(self):
        self.assertEqual(run("echo", "x").out, "x\n")

    def test_starling_run_is_mpiexec(self):
        done = subprocess.run([STARLING, "run", "-n", "2", "echo", "x"], capture_output=True, text=True, timeout=30)
        self.assertEqual(done.stdout, "x\nx\n")

    def test_parts_get_consecutive_ranks_and_their_number(self):
        job = run("-n", "1", PROBE, ":", "-n", "2", PROBE)
        self.assertEqual([(line.split()[1], line.split()[-1]) for line in sorted(job.out.splitlines())],
                         [("0", "0"), ("1", "1"), ("2", "1")])

    def test_arguments_of_the_program_are_not_options_of_ours(self):
        self.assertEqual(run("-n", "1", "echo", "-n", "-l", "--", "x").out, "-l -- x")

    def test_variables_are_set_for_one_part_or_for_all(self):
        job = run("-n", "1", "-x", "A=part", "-genv", "B", "all", "sh", "-c", "echo $A $B", ":",
                  "-n", "1", "-env", "A", "other", "sh", "-c", "echo $A $B")
        self.assertEqual(sorted(job.out.splitlines()), ["other all", "part all"])

    def test_a_variable_of_ours_is_handed_down_and_x_names_it_too(self):
        job = run("-x", "FROM_OUTSIDE", "-genvlist", "FROM_OUTSIDE,ABSENT", "sh", "-c", "echo $FROM_OUTSIDE",
                  environment={"FROM_OUTSIDE": "yes"})
        self.assertEqual(job.out, "yes\n")

    def test_a_variable_to_hand_down_that_is_not_set_is_told(self):
        job = run("-x", "TEST_ABSENT_XYZ", "true")
        self.assertEqual(job.code, 0)
        self.assertIn("without effect here: -x TEST_ABSENT_XYZ (it is not set)", job.err)
        job = run("-x", "", "true")
        self.assertEqual(job.code, 2)
        self.assertIn("-x takes the name of a variable, but got ''", job.err)

    def test_genvnone_starts_with_nothing_but_what_is_set(self):
        job = run("-genvnone", "-x", "A=1", "/usr/bin/env")
        names = {line.split("=")[0] for line in job.out.splitlines()}
        self.assertEqual(names - {"A"} - {name for name in names if name.startswith("STARLING_JOB_")}, set())

    def test_the_program_runs_in_the_folder_asked_for(self):
        with tempfile.TemporaryDirectory() as folder:
            self.assertEqual(run("-n", "2", "-wdir", folder, "pwd").out, f"{os.path.realpath(folder)}\n" * 2)

    def test_a_relative_program_is_meant_from_its_folder(self):
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "here")
            with open(script, "w") as file:
                file.write("#!/bin/sh\necho found\n")
            os.chmod(script, 0o755)
            self.assertEqual(run("-wdir", folder, "./here").out, "found\n")

    def test_a_script_without_interpreter_line_runs(self):
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "plain")
            with open(script, "w") as file:
                file.write("echo plain $1\n")
            os.chmod(script, 0o755)
            self.assertEqual(run(script, "text").out, "plain text\n")

    def test_more_ranks_than_cores_simply_run_unbound(self):
        cores = len(os.sched_getaffinity(0))
        job = run("-n", str(4 * cores + 1), "grep", "Cpus_allowed_list", "/proc/self/status")
        with open("/proc/self/status") as file:
            ours = [line for line in file if line.startswith("Cpus_allowed_list")][0]
        self.assertEqual(job.out, ours * (4 * cores + 1))
        self.assertEqual(job.err, "")

    def test_ranks_bound_to_cores_stay_in_our_mask(self):
        cores = os.sched_getaffinity(0)
        job = run("-n", "2", "--bind-to", "core", "python3", "-c", "import os; print(*os.sched_getaffinity(0))")
        self.assertEqual(job.code, 0, job.err)
        for line in job.out.splitlines():
            self.assertTrue({int(word) for word in line.split()} <= cores, line)

    def test_two_ranks_on_two_cores_get_different_ones(self):
        cores = sorted(os.sched_getaffinity(0))
        if len(cores) < 2:
            self.skipTest("one core")
        job = run("-n", "2", "--bind-to", "hwthread", "python3", "-c", "import os; print(*os.sched_getaffinity(0))")
        self.assertEqual(len(set(job.out.splitlines())), 2, job.out)

    def test_a_command_may_stand_in_a_file(self):
        with tempfile.NamedTemporaryFile("w") as file:
            file.write("# two programs\n-n 2 echo 'a  b' \"c\"d \\# # a comment\n\n-n 1 \\\n  -wdir / pwd\n")
            file.flush()
            for option in (["-configfile", file.name], ["--configfile=" + file.name]):
                job = run(*option)
                self.assertEqual((job.code, sorted(job.out.splitlines())), (0, ["/", "a  b cd #", "a  b cd #"]), job.err)

    def test_the_version_is_said_in_one_line_that_scripts_can_read(self):
        for command in ([MPIEXEC, "--version"], [MPIEXEC, "-V"], [STARLING, "--version"]):
            done = subprocess.run(command, capture_output=True, text=True, timeout=30)
            self.assertRegex(done.stdout.splitlines()[0], r"^Starling \d+\.\d+\.\d+$")
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_the_program_is_looked_for_in_path_first(self):
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "true")
            with open(script, "w") as file:
                file.write("#!/bin/sh\necho ours\n")
            os.chmod(script, 0o755)
            self.assertEqual(run("-path", "/nowhere:" + folder, "true", ":", "true").out, "ours\n")

    def test_the_architecture_of_this_machine_will_do(self):
        self.assertEqual(run("-arch", os.uname().machine, "echo", "x").out, "x\n")

    def test_where_ranks_run_is_said_on_demand(self):
        cores = len(os.sched_getaffinity(0))
        for option in ("--display-map", "--report-bindings", "-v"):
            job = run("-n", "1", option, "--bind-to", "none", "true")
            self.assertEqual(job.err, "starling: rank 0 (true) is not bound to cores.\n")
        job = run("-n", str(4 * cores + 1), "--display-map", "true", ":", "-n", "1", "echo")
        self.assertEqual(job.err, f"starling: ranks 0 to {4 * cores} (true) are not bound to cores.\n"
                                  f"starling: rank {4 * cores + 1} (echo) is not bound to cores.\n")
        if cores >= 2 and job.code == 0:
            job = run("-n", "2", "--report-bindings", "--bind-to", "hwthread", "grep", "Cpus_allowed_list",
                      "/proc/self/status")
            allowed = sorted(line.split()[-1] for line in job.out.splitlines())
            self.assertEqual(sorted(line.rstrip(".").split()[-1] for line in job.err.splitlines()), allowed)

    def test_options_without_effect_are_noted_once(self):
        job = run("--mca", "btl", "self", "--use-hwthread-cpus", "--preload-binary", "--mca", "pml", "ob1", "--rank-by",
                  "slot", "echo", "x")
        self.assertEqual((job.code, job.out), (0, "x\n"))
        self.assertEqual(job.err.count("\n"), 1)
        self.assertIn("without effect here: --mca btl, --use-hwthread-cpus, --mca pml, --preload-binary. ", job.err)
        self.assertEqual(run("-q", "--mca", "btl", "self", "true").err, "")

    def test_help_goes_to_standard_output(self):
        job = run("-h")
        self.assertEqual(job.code, 0)
        self.assertIn("usage: mpiexec", job.out)


class Refusals(LaunchTest):
    def refused(self, code, words, *arguments):
        job = run(*arguments)
        self.assertEqual(job.code, code, job.err)
        self.assertIn(words, job.err)
        self.assertEqual(job.out, "")

    def test_bad_options_end_with_2_and_say_what_is_wrong(self):
        self.refused(2, "no option '-frobnicate'", "-frobnicate", "true")
        self.refused(2, "did you mean '--tag-output'?", "--tagoutput", "true")
        self.refused(2, "-c is the number of ranks in Open MPI and the number of cores", "-c", "2", "true")
        self.refused(2, "-file is not taken", "-file", "x", "true")
        self.refused(2, "whole number", "-n", "two", "true")
        self.refused(2, "whole number", "-n", "0", "true")
        self.refused(2, "no program to run", "-n", "2")
        self.refused(2, "no program to run", "-n", "2", "true", ":")
        self.refused(2, "-n takes N, but nothing follows it: ranks of the program", "-n")
        self.refused(2, "whole number from 1 to 4000000, but got '99999999999999'", "-n", "99999999999999", "true")
        self.refused(2, "seconds", "--timeout", "soon", "true")
        self.refused(2, "it takes none", "--bind-to", "chair", "true")

    def test_more_ranks_than_fit_are_refused_with_what_fits(self):
        for ranks in ("65537", "2000000", "4000000"):
            with self.subTest(ranks):
                job = run("-n", ranks, "true")
                self.assertEqual(job.code, 1)
                self.assertRegex(job.err, r"ranks are too many for one machine: .* enough for \d+ ranks")

    def test_a_limit_on_open_files_is_named_with_its_value(self):
        job = Job("-n", "64", "true", before=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))).finish()
        self.assertEqual(job.code, 1)
        self.assertIn("the limit is 40 (ulimit -Hn), which is enough for 8", job.err)
        job = Job("-n", "8", "true", before=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (40, 40))).finish()
        self.assertEqual((job.code, job.err), (0, ""))

    def test_a_soft_limit_on_open_files_is_no_limit(self):
        job = Job("-n", "64", "sh", "-c", "ulimit -n",
                  before=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (32, 4096))).finish()
        self.assertEqual((job.code, job.out, job.err), (0, "32\n" * 64, ""))

    @unittest.skipIf(SANITIZED, "the sanitizers need more address space than any limit")
    def test_a_limit_on_address_space_or_files_is_named_with_its_value(self):
        for limit, words in ((resource.RLIMIT_AS, "ulimit -v, is 200000000"), (resource.RLIMIT_FSIZE, "ulimit -f, is")):
            with self.subTest(words):
                job = Job("-n", "16", "true", before=lambda: resource.setrlimit(limit, (200_000_000, 200_000_000)))
                job.finish()
                self.assertNotEqual(job.code, 0)
                self.assertIn(words, job.err)

    def test_hosts_that_are_not_understood_are_refused_and_this_one_is_one(self):
        self.refused(2, "'x' is no number of slots", "-host", "elsewhere.example:x", "true")
        self.refused(2, "'/nowhere/hosts' cannot be read", "-hostfile", "/nowhere/hosts", "true")
        self.refused(2, "-N takes", "-N", "some", "true")
        self.assertEqual(run("-host", "localhost:4", "-n", "2", "echo", "x").out, "x\nx\n")

    def test_without_a_number_each_slot_of_a_named_host_gets_a_rank(self):
        self.assertEqual(run("-host", "localhost:2,127.0.0.1", "echo", "x").out, "x\n" * 3)
        self.assertEqual(run("-N", "2", "echo", "x").out, "x\n" * 2)

    def test_a_setting_of_another_library_that_says_where_ranks_run_is_refused(self):
        self.refused(2, "says where ranks run", "--mca", "rmaps_base_mapping_policy", "node", "true")

    def test_a_command_in_a_file_is_named_with_what_is_wrong(self):
        self.refused(2, "-configfile /no/such/file: the file cannot be read: No such file", "-configfile",
                     "/no/such/file")
        for path, why in (("/", "cannot be read: Is a directory"), ("/dev/zero", "has more than 16 MiB")):
            self.refused(2, f"mpiexec: -configfile {path}: the file {why}", "-configfile", path)
        self.refused(2, "-configfile stands alone", "-n", "2", "-configfile", "x", "true")
        for text, words in (("", "names no program"), ("# nothing\n", "names no program"), ("-n 2 'true", "not closed"),
                            ("-n 2 --frobnicate true", "no option '--frobnicate'")):
            with tempfile.NamedTemporaryFile("w") as file:
                file.write(text)
                file.flush()
                self.refused(2, words, "-configfile", file.name)

    def test_a_missing_program_ends_with_127(self):
        self.refused(127, "no program 'no_such_program'", "-n", "2", "no_such_program")
        self.refused(127, "no program './no_such_program'", "./no_such_program")

    def test_what_cannot_be_executed_ends_with_126(self):
        self.refused(126, "may not be executed", "/etc/passwd")
        self.refused(126, "is a folder", "/tmp")

    def test_a_program_for_another_processor_is_no_script(self):
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, "foreign")
            for machine, name in ((0xfeed, "another processor (ELF machine 65261)"), (22, "s390x")):
                with open(program, "wb") as file:
                    file.write(b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00" + machine.to_bytes(2, "little") + bytes(100))
                os.chmod(program, 0o755)
                self.refused(126, f"it is a program for {name}, and this machine is {os.uname().machine}", "-n", "2", program)
                self.refused(126, f"it is a program for {name}", "-wdir", folder, "./foreign")

    def test_a_missing_interpreter_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            script = os.path.join(folder, "script")
            with open(script, "w") as file:
                file.write("#!/no/such/shell\n")
            os.chmod(script, 0o755)
            self.refused(127, "interpreter (/no/such/shell) is missing", "-n", "2", script)

    def test_a_missing_folder_is_named(self):
        self.refused(127, "no program", "-wdir", "/no/such/folder", "./program")
        self.refused(1, "'/no/such/folder' (-wdir)", "-wdir", "/no/such/folder", "/bin/true")


if __name__ == "__main__":
    main()
