/* SPDX-FileCopyrightText: 2026 The Starling authors
 * SPDX-License-Identifier: BSD-3-Clause
 * The names of mpi_compat.h do what they did: Fortran integers for handles and statuses, and MPI-1's removed functions.
 */
#include <mpi.h>
#include <stdio.h>

static int wrong = 0;

static void expect(int line, const char* what, int holds) {
  if (holds) return;
  printf("line %d: not so: %s\n", line, what);
  wrong++;
}
#define EXPECT(condition) expect(__LINE__, #condition, condition)

static void handles(void) {
  MPI_Datatype pair;
  EXPECT(MPI_Comm_f2c(MPI_Comm_c2f(MPI_COMM_WORLD)) == MPI_COMM_WORLD);
  EXPECT(MPI_Op_f2c(MPI_Op_c2f(MPI_SUM)) == MPI_SUM);
  EXPECT(MPI_Request_f2c(MPI_Request_c2f(MPI_REQUEST_NULL)) == MPI_REQUEST_NULL);
  MPI_Type_contiguous(2, MPI_INT, &pair);
  EXPECT(MPI_Type_f2c(MPI_Type_c2f(pair)) == pair);
  MPI_Type_free(&pair);
}

static void statuses(void) {
  MPI_Fint integers[MPI_STATUS_SIZE];
  MPI_Status status, copy;
  int out = 7, in = 0, count = 0;
  MPI_Sendrecv(&out, 1, MPI_INT, 0, 5, &in, 1, MPI_INT, 0, 5, MPI_COMM_SELF, &status);
  MPI_Status_c2f(&status, integers);
  EXPECT(integers[MPI_F_SOURCE] == 0 && integers[MPI_F_TAG] == 5);
  MPI_Status_f2c(integers, &copy);
  MPI_Get_count(&copy, MPI_INT, &count);
  EXPECT(copy.MPI_SOURCE == 0 && copy.MPI_TAG == 5 && count == 1 && in == 7);
}

static void types(void) {
  struct {
    char letter;
    double number;
  } both;
  int lengths[2] = {1, 1};
  MPI_Aint begin, places[2], extent = 0, upper = 0, lower = 1;
  MPI_Datatype parts[2] = {MPI_CHAR, MPI_DOUBLE}, type;
  MPI_Address(&both, &begin);
  MPI_Address(&both.letter, &places[0]);
  MPI_Address(&both.number, &places[1]);
  places[0] -= begin;
  places[1] -= begin;
  EXPECT(MPI_Type_struct(2, lengths, places, parts, &type) == MPI_SUCCESS);
  MPI_Type_extent(type, &extent);
  MPI_Type_ub(type, &upper);
  MPI_Type_lb(type, &lower);
  EXPECT(extent == (MPI_Aint)sizeof(both) && upper == extent && lower == 0);
  MPI_Type_free(&type);
}

static void error_handlers(void) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Errhandler_set(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Errhandler_get(MPI_COMM_SELF, &handler);
  EXPECT(handler == MPI_ERRORS_RETURN);
}

int main(void) {
  MPI_Init(NULL, NULL);
  handles();
  statuses();
  types();
  error_handlers();
  MPI_Finalize();
  printf("%d older names do something else\n", wrong);
  return wrong == 0 ? 0 : 1;
}
