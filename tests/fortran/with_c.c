/* SPDX-FileCopyrightText: 2026 The Starling authors
 * SPDX-License-Identifier: BSD-3-Clause
 * What C makes of Fortran's handles and statuses. Compiled twice: with mpi.h as it is, and with STARLING_NO_COMPAT, as
 * an object is whose mpi.h only declares the conversions. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#ifdef STARLING_NO_COMPAT
typedef int MPI_Fint;
typedef MPI_Status MPI_F08_status;
#define DECLARED(type, prefix)        \
  MPI_Fint prefix##_c2f(type handle); \
  type prefix##_f2c(MPI_Fint handle);
DECLARED(MPI_Comm, MPI_Comm)
DECLARED(MPI_Datatype, MPI_Type)
DECLARED(MPI_Errhandler, MPI_Errhandler)
DECLARED(MPI_File, MPI_File)
DECLARED(MPI_Group, MPI_Group)
DECLARED(MPI_Info, MPI_Info)
DECLARED(MPI_Message, MPI_Message)
DECLARED(MPI_Op, MPI_Op)
DECLARED(MPI_Request, MPI_Request)
DECLARED(MPI_Session, MPI_Session)
DECLARED(MPI_Win, MPI_Win)
int MPI_Status_c2f(const MPI_Status* c_status, MPI_Fint* f_status);
int MPI_Status_f2c(const MPI_Fint* f_status, MPI_Status* c_status);
int MPI_Status_c2f08(const MPI_Status* c_status, MPI_F08_status* f08_status);
int MPI_Status_f082c(const MPI_F08_status* f08_status, MPI_Status* c_status);
int MPI_Status_f2f08(const MPI_Fint* f_status, MPI_F08_status* f08_status);
int MPI_Status_f082f(const MPI_F08_status* f08_status, MPI_Fint* f_status);
extern MPI_Fint *MPI_F_STATUS_IGNORE, *MPI_F_STATUSES_IGNORE;
extern MPI_F08_status *MPI_F08_STATUS_IGNORE, *MPI_F08_STATUSES_IGNORE;
#define CHECK with_names_only
#else
#define CHECK with_our_header
#endif

#define EXPECT(right)                                   \
  do {                                                  \
    if (!(right)) {                                     \
      printf("wrong: line %d: %s\n", __LINE__, #right); \
      return __LINE__;                                  \
    }                                                   \
  } while (0)

int CHECK(MPI_Fint comm, MPI_Fint type, MPI_Fint file, MPI_Fint group, MPI_Fint info, MPI_Fint op, MPI_Fint win,
          MPI_Fint request, MPI_Fint errhandler, MPI_F08_status* status, MPI_F08_status* ignored);

int CHECK(MPI_Fint comm, MPI_Fint type, MPI_Fint file, MPI_Fint group, MPI_Fint info, MPI_Fint op, MPI_Fint win,
          MPI_Fint request, MPI_Fint errhandler, MPI_F08_status* status, MPI_F08_status* ignored) {
  int value = 0;
  int comparison = MPI_UNEQUAL;
  MPI_Group same_group;
  MPI_Status c_status;
  MPI_F08_status f08_status;
  MPI_Fint f_status[MPI_F_STATUS_SIZE];

  EXPECT(MPI_Comm_compare(MPI_Comm_f2c(comm), MPI_COMM_SELF, &comparison) == MPI_SUCCESS &&
         comparison == MPI_CONGRUENT);
  EXPECT(MPI_Comm_c2f(MPI_Comm_f2c(comm)) == comm);
  EXPECT(MPI_Type_size(MPI_Type_f2c(type), &value) == MPI_SUCCESS && value == 12);
  EXPECT(MPI_Type_c2f(MPI_Type_f2c(type)) == type);
  EXPECT(MPI_File_get_amode(MPI_File_f2c(file), &value) == MPI_SUCCESS && value == MPI_MODE_WRONLY);
  EXPECT(MPI_File_c2f(MPI_File_f2c(file)) == file);
  EXPECT(MPI_Win_get_group(MPI_Win_f2c(win), &same_group) == MPI_SUCCESS);
  EXPECT(MPI_Group_compare(MPI_Group_f2c(group), same_group, &comparison) == MPI_SUCCESS && comparison == MPI_IDENT);
  EXPECT(MPI_Group_free(&same_group) == MPI_SUCCESS);
  EXPECT(MPI_Group_c2f(MPI_Group_f2c(group)) == group);
  EXPECT(MPI_Win_c2f(MPI_Win_f2c(win)) == win);
  EXPECT(MPI_Info_get_nkeys(MPI_Info_f2c(info), &value) == MPI_SUCCESS && value == 0);
  EXPECT(MPI_Info_c2f(MPI_Info_f2c(info)) == info);
  EXPECT(MPI_Op_f2c(op) == MPI_SUM && MPI_Op_c2f(MPI_SUM) == op);
  EXPECT(MPI_Request_get_status(MPI_Request_f2c(request), &value, MPI_STATUS_IGNORE) == MPI_SUCCESS && value == 0);
  EXPECT(MPI_Request_c2f(MPI_Request_f2c(request)) == request);
  EXPECT(MPI_Errhandler_f2c(errhandler) == MPI_ERRORS_RETURN && MPI_Errhandler_c2f(MPI_ERRORS_RETURN) == errhandler);
  EXPECT(MPI_Message_f2c(MPI_Message_c2f(MPI_MESSAGE_NULL)) == MPI_MESSAGE_NULL);
  EXPECT(MPI_Session_f2c(MPI_Session_c2f(MPI_SESSION_NULL)) == MPI_SESSION_NULL);

  EXPECT(MPI_Status_f082c(status, &c_status) == MPI_SUCCESS);
  EXPECT(c_status.MPI_SOURCE == 1 && c_status.MPI_TAG == 2 && c_status.MPI_ERROR == 3);
  EXPECT(MPI_Get_count(&c_status, MPI_BYTE, &value) == MPI_SUCCESS && value == 12);
  EXPECT(MPI_Status_c2f(&c_status, f_status) == MPI_SUCCESS && f_status[MPI_F_TAG] == 2);
  memset(&c_status, 0, sizeof c_status);
  EXPECT(MPI_Status_f2c(f_status, &c_status) == MPI_SUCCESS);
  EXPECT(MPI_Status_c2f08(&c_status, &f08_status) == MPI_SUCCESS && memcmp(&f08_status, status, sizeof *status) == 0);
  memset(f_status, 0, sizeof f_status);
  EXPECT(MPI_Status_f082f(status, f_status) == MPI_SUCCESS && f_status[MPI_F_SOURCE] == 1 &&
         f_status[MPI_F_ERROR] == 3);
  memset(&f08_status, 0, sizeof f08_status);
  EXPECT(MPI_Status_f2f08(f_status, &f08_status) == MPI_SUCCESS && memcmp(&f08_status, status, sizeof *status) == 0);

  /* What Fortran passes for MPI_STATUS_IGNORE is what C compares with. */
  EXPECT(ignored == MPI_F08_STATUS_IGNORE && (MPI_Fint*)ignored == MPI_F_STATUS_IGNORE);
  EXPECT(status != MPI_F08_STATUS_IGNORE && MPI_F_STATUSES_IGNORE != MPI_F_STATUS_IGNORE);
  EXPECT(MPI_F08_STATUSES_IGNORE != MPI_F08_STATUS_IGNORE);
  return 0;
}
