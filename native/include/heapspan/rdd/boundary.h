#ifndef HEAPSPAN_RDD_BOUNDARY_H
#define HEAPSPAN_RDD_BOUNDARY_H

/*
 * The boundary between a native RDD program and the process that runs it, in plain C.
 *
 * The program is a shared object. The host is a Spark driver or executor (or a test). The host opens the shared object,
 * takes the table that heapspan_program_table() returns, and calls through it. The program calls back through the two
 * tables that the host passes: heapspan_driver in the driver, heapspan_task in a task.
 *
 * Nodes. The driver side of a program builds a graph of nodes. A node is one RDD of Spark, named by a handle. Each of
 * its partitions is a sequence of batches. What a batch contains is known to the program only, except where this file
 * says otherwise (text, records, saved bytes).
 *
 * Stages. Code of the program runs as a stage: one kernel, for one partition. A kernel is named by its distance in
 * bytes from the first byte of the ELF header of the shared object, and gets its captures as bytes. The host checks the
 * build id of the shared object, so that both sides mean the same code.
 *
 * Batches. A batch is a range of memory whose address is a multiple of 8. The host lends input batches to a stage: they
 * stay as they are until the stage releases them or closes. The stage gives output batches away: it allocates them with
 * malloc or aligned_alloc, and the host ends them with free.
 *
 * Values. What the program exchanges with the application that runs it, or with tables, has a type that both know,
 * written as text:
 *
 *   bool int8 int16 int32 int64 float32 float64 string    as in C and Java; strings are in UTF-8
 *   [T]     an array         T?      a T that may be missing         (T,U,...)    a tuple
 *
 * Its batches are as heapspan/rdd/batch.h says, with these buffers, one after the other. Numbers: the values. bool: a
 * bitmap in words of 64 bits, lowest bit first. string and [T]: n + 1 offsets of 32 bits, or no bytes if n is 0; then
 * the characters, or the buffers of T. T?: a bitmap of those that are there, then the buffers of n values T. Tuples:
 * the buffers of each part.
 *
 * Failures. Each call returns a status. After HEAPSPAN_HOST_FAILED the host holds an exception of its own (a killed
 * task, a failed fetch): the program makes no more calls, unwinds, and returns the same status; the host throws that
 * exception unchanged. All other failures are in a heapspan_error. No exception crosses the boundary in either
 * direction.
 *
 * Threads. A stage is used by one thread at a time, and calls the host on that thread only. Different stages run on
 * different threads at the same time. The driver's table is used by the thread that called main, until main returns.
 *
 * Upgrades. A change that old code cannot survive raises HEAPSPAN_BOUNDARY_VERSION. Fields are only ever added at the
 * end of a struct, and struct_bytes tells how many there are.
 */

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define HEAPSPAN_BOUNDARY_VERSION 2

typedef int32_t heapspan_status;

enum {
  HEAPSPAN_OK = 0,
  /* The host holds an exception of its own. Unwind, and return this status. */
  HEAPSPAN_HOST_FAILED = 1,
  /* The program failed; heapspan_error says why. */
  HEAPSPAN_PROGRAM_FAILED = 2,
  /* Only from next_batch: there are no more batches. */
  HEAPSPAN_END = 3,
  /* Only from reserve_memory: there is not enough memory now. Not a failure: the caller spills. */
  HEAPSPAN_REFUSED = 4
};

/* Why a program failed: UTF-8, ended by 0, cut if too long. The program fills it only for HEAPSPAN_PROGRAM_FAILED. */
typedef struct heapspan_error {
  /* The operator that failed, such as "map_values"; empty if none did. */
  char operator_name[128];
  char message[1920];
} heapspan_error;

/* A range of memory that the callee may read until it returns. */
typedef struct heapspan_bytes {
  const void* data;
  uint64_t size;
} heapspan_bytes;

/* ---------------------------------------------------------------------------------------------------------- the driver
 */

/* How the partitions of a stage belong to those of its inputs. */
enum {
  /* Partition p of the stage reads partition p of every input. All inputs have the same number of partitions. */
  HEAPSPAN_ONE_TO_ONE = 0,
  /* Exactly two inputs, of m and n partitions; the stage has m * n. Partition p reads p / n of input 0 and p % n of 1.
   */
  HEAPSPAN_CARTESIAN = 1
};

/* What the order of records means to a stage; a sum of these. */
enum {
  /* The result depends on the order of the records in the inputs. The host then tells Spark that the result is not
     determinate where the order of the inputs is not, so that a lost partition does not come back different. */
  HEAPSPAN_READS_ORDER = 1,
  /* The order of the result depends on how much memory the host grants. The host then tells Spark that the result may
     come back in another order. */
  HEAPSPAN_VARIES_ORDER = 2,
  /* The result depends on an order that depends on memory, within the stage. The host then tells Spark that the result
     is not determinate. */
  HEAPSPAN_READS_VARIED_ORDER = 4
};

/* Where a persisted node is kept. */
enum {
  HEAPSPAN_MEMORY = 0,          /* in memory outside of the Java heap; what does not fit is computed again */
  HEAPSPAN_MEMORY_AND_DISK = 1, /* what does not fit goes to disk */
  HEAPSPAN_DISK = 2
};

/* What an accumulator adds up. */
enum { HEAPSPAN_SUM_OF_LONGS = 0, HEAPSPAN_SUM_OF_DOUBLES = 1 };

typedef union heapspan_number {
  int64_t as_long;
  double as_double;
} heapspan_number;

/* What a stage runs and reads. The host copies what it keeps before the call returns. */
typedef struct heapspan_stage_plan {
  /* Distance of the kernel from the ELF header of the shared object. */
  uint64_t kernel;
  /* Bytes that each task gets again in heapspan_task. May be large: the host ships large captures once to each
   * executor. */
  heapspan_bytes captures;
  /* The fused operators, such as "flat_map, map_to_pair, reduce_by_key": the name in Spark's user interface. */
  const char* operators;
  const int64_t* inputs;
  int32_t input_count;
  int32_t arrangement;
  /* HEAPSPAN_READS_ORDER and so on. */
  int32_t order;
} heapspan_stage_plan;

/* Called with each batch that a job collected. One call at a time, on any thread, before collect returns. The batches
   of one partition come in order and without batches of other partitions in between; partitions come in any order. A
   status other than HEAPSPAN_OK ends the job, and collect returns that status. */
typedef heapspan_status (*heapspan_receiver)(void* receiver, int32_t partition, heapspan_bytes batch);

/* Calls into the host for the driver side of the program. */
typedef struct heapspan_driver {
  uint32_t boundary_version;
  uint32_t struct_bytes;
  void* self; /* first argument of every call */
  int32_t default_parallelism;

  /* Sources. The batches of text_file are blocks of whole lines: each line ends with \n (perhaps \r\n), except that the
     last of a block may lack it. min_partitions 0 leaves the number to the host. */
  heapspan_status (*text_file)(void* self, const char* path, int32_t min_partitions, int64_t* node);
  /* The batches are blocks of whole records of record_bytes each. A file whose length is no multiple of it is an error.
   */
  heapspan_status (*binary_records)(void* self, const char* path, uint32_t record_bytes, int32_t min_partitions,
                                    int64_t* node);
  /* One partition for each element, of one batch; of none if its size is 0. */
  heapspan_status (*parallelize)(void* self, const heapspan_bytes* partitions, int32_t count, int64_t* node);

  /* Transformations. */
  heapspan_status (*stage)(void* self, const heapspan_stage_plan* plan, int64_t* node);
  /* Runs the plan as the map side, whose kernel uses write_map_output. Partition p of the node has the batches that all
     map tasks wrote for p: those of one task in the order in which it wrote them, tasks in any order. */
  heapspan_status (*shuffle)(void* self, const heapspan_stage_plan* plan, int32_t partitions, int64_t* node);
  /* The partitions of the first node, then those of the second, and so on. */
  heapspan_status (*union_of)(void* self, const int64_t* nodes, int32_t count, int64_t* node);
  /* At most `partitions` partitions, each of several of the input's, without a shuffle. */
  heapspan_status (*coalesce)(void* self, int64_t input, int32_t partitions, int64_t* node);

  /* Nodes. */
  heapspan_status (*partition_count)(void* self, int64_t node, int32_t* count);
  heapspan_status (*persist)(void* self, int64_t node, int32_t level);
  heapspan_status (*unpersist)(void* self, int64_t node);
  heapspan_status (*checkpoint)(void* self, int64_t node);
  /* The program forgets the handle. Nodes that were made from it are not affected; what is persisted stays until Spark
     finds that nothing uses it. Never fails. */
  void (*release)(void* self, int64_t node);

  /* Jobs. */
  /* Computes the given partitions of the node and passes their batches to the receiver. */
  heapspan_status (*collect)(void* self, int64_t node, const int32_t* partitions, int32_t count, void* receiver,
                             heapspan_receiver receive);
  /* Writes each partition as a file part-NNNNN in the new folder `path`: the bytes of its batches, one after the other.
   */
  heapspan_status (*save)(void* self, int64_t node, const char* path);

  /* Shared values. A broadcast's number is never used again in any process that sees it. */
  heapspan_status (*broadcast)(void* self, heapspan_bytes value, int64_t* broadcast);
  heapspan_status (*destroy_broadcast)(void* self, int64_t broadcast);
  heapspan_status (*accumulator)(void* self, const char* name, int32_t kind, int64_t* accumulator);
  heapspan_status (*accumulator_value)(void* self, int64_t accumulator, heapspan_number* value);

  /* Values of the application. */
  /* What the application gives under a name, as batches of a type. */
  heapspan_status (*input)(void* self, const char* name, const char* type, int64_t* node);
  /* Gives the application the node, whose batches are of this type, under a name. It is computed when it is used. */
  heapspan_status (*output)(void* self, int64_t node, const char* name, const char* type);

  /* Tables in Parquet files. A row is a value of the type, and each part of a tuple is a column. */
  /* The columns of these names, in this order; if none are named, all that the files have. */
  heapspan_status (*parquet_file)(void* self, const char* path, const char* const* columns, int32_t column_count,
                                  const char* type, int64_t* node);
  /* Writes each partition as a file in the new folder `path`. */
  heapspan_status (*save_parquet)(void* self, int64_t node, const char* path, const char* const* columns,
                                  int32_t column_count, const char* type);

  /* The program uses the broadcast in no further plan. Plans that were made before keep it, and Spark removes it once
     they are gone. Never fails. */
  void (*release_broadcast)(void* self, int64_t broadcast);
} heapspan_driver;

/* -------------------------------------------------------------------------------------------------------------- a task
 */

/* A batch that the host lends. */
typedef struct heapspan_batch {
  const void* data;
  uint64_t size;
  int64_t id; /* for release_batch */
} heapspan_batch;

/* What a task is, and calls into the host for it. Valid from stage_open to stage_close. */
typedef struct heapspan_task {
  uint32_t boundary_version;
  uint32_t struct_bytes;
  void* self; /* first argument of every call */
  int32_t partition;
  int32_t attempt; /* 0 for the first attempt at this partition */
  int32_t input_count;
  int32_t output_partitions; /* of a map side; 0 for other stages */
  heapspan_bytes captures;   /* aligned to 8 */

  /* The next batch of an input, or HEAPSPAN_END. Inputs may be read in any order, also alternately. Fails with
     HEAPSPAN_HOST_FAILED if the task was killed. */
  heapspan_status (*next_batch)(void* self, int32_t input, heapspan_batch* batch);
  void (*release_batch)(void* self, int64_t id);
  /* Begins an input again, from its first batch. The host computes it again unless it is persisted. */
  heapspan_status (*rewind_input)(void* self, int32_t input);
  /* Gives away a batch, which the host frees, also if the call fails. Not for map sides. */
  heapspan_status (*emit_batch)(void* self, void* data, uint64_t size);
  /* Only for map sides: appends one batch to the output for a partition. If the host compresses, it sorts the bytes of
     numbers, as the header of the batch says. It has read or written the bytes when the call returns. Partitions come
     in ascending order; a partition may come many times in a row, or not at all. */
  heapspan_status (*write_map_output)(void* self, int32_t partition, heapspan_bytes batch);

  /* Memory that the task uses beyond a few megabytes. May be refused, then nothing is reserved. The host takes back
     what is not released when the stage closes. */
  heapspan_status (*reserve_memory)(void* self, uint64_t bytes);
  void (*release_memory)(void* self, uint64_t bytes);
  /* A spill is written once from its beginning, then read once from its beginning, each in blocks of any size. The host
     encrypts it if the application demands that, and deletes it at the latest when the stage closes. */
  heapspan_status (*spill_create)(void* self, int64_t* spill);
  heapspan_status (*spill_write)(void* self, int64_t spill, heapspan_bytes block);
  /* Reads exactly `size` bytes, which were written. The first call ends the writing. */
  heapspan_status (*spill_read)(void* self, int64_t spill, void* buffer, uint64_t size);
  void (*spill_delete)(void* self, int64_t spill);

  /* 1 if the task was killed. A stage asks about once for each megabyte that it handles, and fails with
     HEAPSPAN_HOST_FAILED if so. */
  int32_t (*is_cancelled)(void* self);
  /* The value of a broadcast, lent until the stage closes. */
  heapspan_status (*broadcast_value)(void* self, int64_t broadcast, heapspan_bytes* value);
  /* Adds to an accumulator. Called at most once for each accumulator, when the stage has done its work. */
  heapspan_status (*accumulate)(void* self, int64_t accumulator, heapspan_number value);

  /* How many bytes of persisted nodes fit into the memory of this process in addition to those that are there, so that
     none of them goes. As it was when the stage was opened. */
  uint64_t free_storage_bytes;
} heapspan_task;

/* ---------------------------------------------------------------------------------------------------------- the
 * program */

/* A stage that runs; the program owns it. */
typedef struct heapspan_stage heapspan_stage;

typedef struct heapspan_program {
  uint32_t boundary_version;
  uint32_t struct_bytes;
  /* The instruction set that the program needs, such as "x86-64-v3", and the compiler, for messages. */
  const char* cpu_level;
  const char* compiler;

  /* Runs the driver side of the program. arguments[0] is the name of the program. */
  heapspan_status (*main)(const heapspan_driver* driver, int32_t argument_count, const char* const* arguments,
                          heapspan_error* error);

  /* Makes a stage. The task must stay valid until stage_close. */
  heapspan_status (*stage_open)(uint64_t kernel, const heapspan_task* task, heapspan_stage** stage,
                                heapspan_error* error);
  /* Works until the stage emitted at least one batch, or is done: then *done is 1, and it is not called again. Map
     sides are done after the first call. */
  heapspan_status (*stage_advance)(heapspan_stage* stage, int32_t* done, heapspan_error* error);
  /* Ends a stage: one that is done, one that failed, and one that nobody wants to go on. Called once for each
     stage_open that succeeded, by the thread that is the last to use it. */
  void (*stage_close)(heapspan_stage* stage);

  /* The process has no broadcast of this number any more: frees what the program keeps of it, but for what stages use.
     On any thread, at any time; also for numbers that the program has never seen. */
  void (*forget_broadcast)(int64_t broadcast);
} heapspan_program;

/* The one symbol that a program exports. The table is valid until the shared object is closed. */
const heapspan_program* heapspan_program_table(void);

#ifdef __cplusplus
}
#endif

#endif
