/*
 * A native program in plain C, without the C++ headers: it tests the boundary itself. Its driver side does what the
 * first argument names:
 *
 *   lines IN OUT REDUCERS   sends each line of a text file to a reducer and saves them, sorted within each reducer
 *   calls                   makes each of the driver's calls once, with values that the test knows
 *   kernels                 fails with the names and places of kernels
 *   forgotten               fails with the broadcast that the host has named last as one that is no more
 *
 * Kernels are functions; a stage calls its kernel once and is done.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "heapspan/rdd/boundary.h"

struct heapspan_stage {
  heapspan_status (*kernel)(const heapspan_task* task, heapspan_error* error);
  const heapspan_task* task;
  int32_t calls;
};

extern const char heapspan_test_base[] __asm__("__ehdr_start") __attribute__((visibility("hidden")));

static heapspan_status fail(heapspan_error* error, const char* operator_name, const char* message) {
  snprintf(error->operator_name, sizeof error->operator_name, "%s", operator_name);
  snprintf(error->message, sizeof error->message, "%s", message);
  return HEAPSPAN_PROGRAM_FAILED;
}

/* A test may ask for a program of another version. */
#ifndef TEST_VERSION
#define TEST_VERSION HEAPSPAN_BOUNDARY_VERSION
#endif

/* Or of one for another processor. */
#ifndef TEST_CPU_LEVEL
#define TEST_CPU_LEVEL "x86-64-v3"
#endif

/* Or of one that changes how its thread computes, as what gcc 12 builds with -ffast-math does: tiny numbers are 0. */
#ifdef TEST_FLUSHES_TO_ZERO
__attribute__((constructor)) static void flush_to_zero(void) {
  __builtin_ia32_ldmxcsr(__builtin_ia32_stmxcsr() | 0x8040);
}
#endif

/* ------------------------------------------------------------------------------------------------------------- kernels
 */

struct bytes {
  char* data;
  size_t size;
  size_t capacity;
};

static void append(struct bytes* target, const void* data, size_t size) {
  if (target->size + size > target->capacity) {
    target->capacity = 2 * (target->size + size) + 1024;
    target->data = realloc(target->data, target->capacity);
  }
  memcpy(target->data + target->size, data, size);
  target->size += size;
}

/* Writes each line for the reducer that its bytes choose, and counts lines in the accumulator that the captures name.
 */
static heapspan_status divide_lines(const heapspan_task* task, heapspan_error* error) {
  int64_t accumulator;
  if (task->captures.size != sizeof accumulator) {
    return fail(error, "divide_lines", "captures of a wrong size");
  }
  memcpy(&accumulator, task->captures.data, sizeof accumulator);
  struct bytes* outputs = calloc((size_t)task->output_partitions, sizeof *outputs);
  heapspan_number lines = {0};
  heapspan_status status;
  heapspan_batch batch;
  while ((status = task->next_batch(task->self, 0, &batch)) == HEAPSPAN_OK) {
    const char* line = batch.data;
    const char* const end = line + batch.size;
    while (line < end) {
      const char* newline = memchr(line, '\n', (size_t)(end - line));
      const char* stop = newline == NULL ? end : newline;
      uint32_t hash = 17;
      for (const char* each = line; each < stop; each++) {
        hash = hash * 31 + (unsigned char)*each;
      }
      struct bytes* output = &outputs[hash % (uint32_t)task->output_partitions];
      append(output, line, (size_t)(stop - line));
      append(output, "\n", 1);
      lines.as_long++;
      line = stop + 1;
    }
    task->release_batch(task->self, batch.id);
  }
  if (status == HEAPSPAN_END) {
    status = HEAPSPAN_OK;
    for (int32_t i = 0; i < task->output_partitions && status == HEAPSPAN_OK; i++) {
      if (outputs[i].size > 0) {
        const heapspan_bytes part = {outputs[i].data, outputs[i].size};
        status = task->write_map_output(task->self, i, part);
      }
    }
    if (status == HEAPSPAN_OK) {
      status = task->accumulate(task->self, accumulator, lines);
    }
  }
  for (int32_t i = 0; i < task->output_partitions; i++) {
    free(outputs[i].data);
  }
  free(outputs);
  return status;
}

static int compare_lines(const void* left, const void* right) {
  return strcmp(*(const char* const*)left, *(const char* const*)right);
}

/* Sorts the lines of a partition; all of them pass through a spill, and memory is reserved for them. */
static heapspan_status sort_lines(const heapspan_task* task, heapspan_error* error) {
  (void)error;
  int64_t spill;
  heapspan_status status = task->spill_create(task->self, &spill);
  if (status != HEAPSPAN_OK) {
    return status;
  }
  size_t size = 0;
  heapspan_batch batch;
  while ((status = task->next_batch(task->self, 0, &batch)) == HEAPSPAN_OK) {
    const heapspan_bytes block = {batch.data, batch.size};
    status = task->spill_write(task->self, spill, block);
    size += batch.size;
    task->release_batch(task->self, batch.id);
    if (status != HEAPSPAN_OK) {
      return status;
    }
  }
  if (status != HEAPSPAN_END) {
    return status;
  }
  status = task->reserve_memory(task->self, size);
  if (status != HEAPSPAN_OK) {
    return status == HEAPSPAN_REFUSED ? fail(error, "sort_lines", "no memory") : status;
  }
  char* text = malloc(size + 1);
  status = task->spill_read(task->self, spill, text, size);
  task->spill_delete(task->self, spill);
  if (status != HEAPSPAN_OK) {
    free(text);
    return status;
  }
  size_t count = 0;
  for (size_t i = 0; i < size; i++) {
    if (text[i] == '\n') {
      text[i] = 0;
      count++;
    }
  }
  const char** lines = malloc((count + 1) * sizeof *lines);
  const char* line = text;
  for (size_t i = 0; i < count; i++) {
    lines[i] = line;
    line += strlen(line) + 1;
  }
  qsort(lines, count, sizeof *lines, compare_lines);
  struct bytes sorted = {0};
  for (size_t i = 0; i < count; i++) {
    append(&sorted, lines[i], strlen(lines[i]));
    append(&sorted, "\n", 1);
  }
  free(lines);
  free(text);
  task->release_memory(task->self, size);
  return sorted.size == 0 ? HEAPSPAN_OK : task->emit_batch(task->self, sorted.data, sorted.size);
}

/* Makes each call of a task once: emits its input twice, behind its captures, the value of broadcast 7 and its numbers.
 */
static heapspan_status call_all(const heapspan_task* task, heapspan_error* error) {
  heapspan_status status = HEAPSPAN_OK;
  struct bytes all = {0};
  append(&all, task->captures.data, task->captures.size);
  heapspan_bytes value;
  if ((status = task->broadcast_value(task->self, 7, &value)) != HEAPSPAN_OK) {
    free(all.data);
    return status;
  }
  append(&all, value.data, value.size);
  char numbers[64];
  snprintf(numbers, sizeof numbers, " %d/%d/%d/%d/%llu ", task->partition, task->attempt, task->input_count,
           task->is_cancelled(task->self), (unsigned long long)task->free_storage_bytes);
  append(&all, numbers, strlen(numbers));
  for (int turn = 0; turn < 2; turn++) {
    heapspan_batch batch;
    while ((status = task->next_batch(task->self, 0, &batch)) == HEAPSPAN_OK) {
      append(&all, batch.data, batch.size);
      task->release_batch(task->self, batch.id);
    }
    if (status != HEAPSPAN_END || (status = task->rewind_input(task->self, 0)) != HEAPSPAN_OK) {
      free(all.data);
      return status;
    }
  }
  status = task->reserve_memory(task->self, UINT64_C(1) << 50);
  if (status != HEAPSPAN_REFUSED) {
    free(all.data);
    return status == HEAPSPAN_OK ? fail(error, "call_all", "a petabyte was granted") : status;
  }
  heapspan_number half = {.as_double = 0.5};
  if ((status = task->accumulate(task->self, 9, half)) != HEAPSPAN_OK) {
    free(all.data);
    return status;
  }
  return task->emit_batch(task->self, all.data, all.size);
}

static heapspan_status fail_always(const heapspan_task* task, heapspan_error* error) {
  (void)task;
  return fail(error, "fail_always", "caf\xc3\xa9 is not a number");
}

static uint64_t recurse(uint64_t depth) {
  volatile char here[512];
  here[depth % sizeof here] = 1;
  return depth == 0 ? (uint64_t)here[0] : recurse(depth - 1) + (uint64_t)here[1];
}

/* Ends its process in the way that its captures say, after it has printed and read something. */
static heapspan_status crash(const heapspan_task* task, heapspan_error* error) {
  const char* how = task->captures.data;
  puts("what a program prints");
  fflush(stdout);
  if (getchar() != EOF) {
    return fail(error, "crash", "there is an input");
  }
  switch (task->captures.size == 0 ? 0 : *how) {
    case 's':
      *(volatile char*)(uintptr_t)task->captures.size = 1;
      break;
    case 'a':
      abort();
    case 'c': {
      /* After it has started a child, which ends when there is no such file any more. */
      char child[1024];
      snprintf(child, sizeof child, "while [ -e '%.*s' ]; do sleep 1; done >/dev/null 2>&1 &",
               (int)task->captures.size - 1, how + 1);
      if (system(child) == 0) {
        abort();
      }
      break;
    }
    case 'o':
      return recurse(UINT64_C(1) << 40) == 0 ? HEAPSPAN_OK : HEAPSPAN_PROGRAM_FAILED;
    default:
      exit(5);
  }
  return fail(error, "crash", "no crash");
}

/* -------------------------------------------------------------------------------------------------------------- stages
 */

static heapspan_status stage_open(uint64_t kernel, const heapspan_task* task, heapspan_stage** stage,
                                  heapspan_error* error) {
  if (task->partition == 99) {
    return fail(error, "open", "no partition 99");
  }
  *stage = calloc(1, sizeof **stage);
  (*stage)->kernel =
      (heapspan_status (*)(const heapspan_task*, heapspan_error*))(uintptr_t)(heapspan_test_base + kernel);
  (*stage)->task = task;
  return HEAPSPAN_OK;
}

static heapspan_status stage_advance(heapspan_stage* stage, int32_t* done, heapspan_error* error) {
  *done = 1;
  return stage->kernel(stage->task, error);
}

static void stage_close(heapspan_stage* stage) { free(stage); }

static int64_t forgotten = 0;

static void forget_broadcast(int64_t broadcast) { forgotten = broadcast; }

/* ---------------------------------------------------------------------------------------------------------- the driver
 */

static uint64_t kernel_of(heapspan_status (*kernel)(const heapspan_task*, heapspan_error*)) {
  return (uint64_t)((const char*)(uintptr_t)kernel - heapspan_test_base);
}

static heapspan_status count_bytes(void* receiver, int32_t partition, heapspan_bytes batch) {
  (void)partition;
  *(uint64_t*)receiver += batch.size;
  return HEAPSPAN_OK;
}

static heapspan_status run_lines(const heapspan_driver* driver, const char* const* arguments, heapspan_error* error) {
  int64_t text, parts, sorted, accumulator;
  heapspan_number lines;
  heapspan_status status;
  if ((status = driver->accumulator(driver->self, "lines", HEAPSPAN_SUM_OF_LONGS, &accumulator)) != HEAPSPAN_OK ||
      (status = driver->text_file(driver->self, arguments[2], 3, &text)) != HEAPSPAN_OK) {
    return status;
  }
  heapspan_stage_plan plan = {
      .kernel = kernel_of(divide_lines),
      .captures = {&accumulator, sizeof accumulator},
      .operators = "divide_lines",
      .inputs = &text,
      .input_count = 1,
  };
  if ((status = driver->shuffle(driver->self, &plan, atoi(arguments[4]), &parts)) != HEAPSPAN_OK) {
    return status;
  }
  plan = (heapspan_stage_plan){.kernel = kernel_of(sort_lines),
                               .captures = {"", 0},
                               .operators = "sort_lines",
                               .inputs = &parts,
                               .input_count = 1};
  if ((status = driver->stage(driver->self, &plan, &sorted)) != HEAPSPAN_OK ||
      (status = driver->persist(driver->self, sorted, HEAPSPAN_MEMORY)) != HEAPSPAN_OK ||
      (status = driver->save(driver->self, sorted, arguments[3])) != HEAPSPAN_OK) {
    return status;
  }
  uint64_t bytes = 0;
  int32_t count;
  int32_t all[64];
  for (int32_t i = 0; i < 64; i++) {
    all[i] = i;
  }
  if ((status = driver->partition_count(driver->self, sorted, &count)) != HEAPSPAN_OK ||
      (status = driver->collect(driver->self, sorted, all, count, &bytes, count_bytes)) != HEAPSPAN_OK ||
      (status = driver->accumulator_value(driver->self, accumulator, &lines)) != HEAPSPAN_OK) {
    return status;
  }
  if (lines.as_long <= 0 || bytes < (uint64_t)lines.as_long) {
    return fail(error, "", "lines were lost");
  }
  return driver->unpersist(driver->self, sorted);
}

#define CHECK(call)                 \
  do {                              \
    heapspan_status status_ = call; \
    if (status_ != HEAPSPAN_OK) {   \
      return status_;               \
    }                               \
  } while (0)

static heapspan_status run_calls(const heapspan_driver* driver, heapspan_error* error) {
  int64_t node, number;
  int32_t count = 0;
  heapspan_number value;
  uint64_t bytes = 0;
  const heapspan_bytes parts[] = {{"one", 3}, {"", 0}, {"three", 5}};
  const int64_t inputs[] = {11, 12};
  const int32_t partitions[] = {2, 0};
  const heapspan_stage_plan plan = {.kernel = 4711,
                                    .captures = {"captured", 8},
                                    .operators = "map, filter",
                                    .inputs = inputs,
                                    .input_count = 2,
                                    .arrangement = HEAPSPAN_CARTESIAN,
                                    .order = HEAPSPAN_READS_ORDER + HEAPSPAN_READS_VARIED_ORDER};
  CHECK(driver->text_file(driver->self, "/caf\xc3\xa9/\xf0\x9f\x8d\xb0", 5, &node));
  CHECK(driver->binary_records(driver->self, "/records", 4000000000u, 6, &node));
  CHECK(driver->parallelize(driver->self, parts, 3, &node));
  CHECK(driver->stage(driver->self, &plan, &node));
  CHECK(driver->shuffle(driver->self, &plan, 13, &node));
  CHECK(driver->union_of(driver->self, inputs, 2, &node));
  CHECK(driver->coalesce(driver->self, node, 4, &node));
  CHECK(driver->partition_count(driver->self, node, &count));
  CHECK(driver->persist(driver->self, node, HEAPSPAN_DISK));
  CHECK(driver->unpersist(driver->self, node));
  CHECK(driver->checkpoint(driver->self, node));
  CHECK(driver->collect(driver->self, node, partitions, 2, &bytes, count_bytes));
  CHECK(driver->save(driver->self, node, "/out"));
  CHECK(driver->broadcast(driver->self, parts[2], &number));
  CHECK(driver->destroy_broadcast(driver->self, number));
  driver->release_broadcast(driver->self, number);
  CHECK(driver->accumulator(driver->self, "errors", HEAPSPAN_SUM_OF_DOUBLES, &number));
  CHECK(driver->accumulator_value(driver->self, number, &value));
  CHECK(driver->input(driver->self, "caf\xc3\xa9", "(int64,string?)", &node));
  CHECK(driver->output(driver->self, node, "out", "[float64]"));
  const char* columns[] = {"caf\xc3\xa9", "b"};
  CHECK(driver->save_parquet(driver->self, node, "/table", columns, 2, "(int64,bool)"));
  CHECK(driver->parquet_file(driver->self, "/table", columns, 1, "int64", &node));
  driver->release(driver->self, node);
  char found[128];
  snprintf(found, sizeof found, "%d partitions, %d bytes, %g, parallelism %d", count, (int)bytes, value.as_double,
           driver->default_parallelism);
  return fail(error, "report", found);
}

static heapspan_status run_main(const heapspan_driver* driver, int32_t count, const char* const* arguments,
                                heapspan_error* error) {
  if (count == 5 && strcmp(arguments[1], "lines") == 0) {
    return run_lines(driver, arguments, error);
  }
  if (count == 2 && strcmp(arguments[1], "calls") == 0) {
    return run_calls(driver, error);
  }
  if (count == 2 && strcmp(arguments[1], "kernels") == 0) {
    char found[256];
    snprintf(found, sizeof found, "call_all %llu fail_always %llu divide_lines %llu sort_lines %llu crash %llu",
             (unsigned long long)kernel_of(call_all), (unsigned long long)kernel_of(fail_always),
             (unsigned long long)kernel_of(divide_lines), (unsigned long long)kernel_of(sort_lines),
             (unsigned long long)kernel_of(crash));
    return fail(error, "", found);
  }
  if (count == 2 && strcmp(arguments[1], "forgotten") == 0) {
    char found[64];
    snprintf(found, sizeof found, "broadcast %lld", (long long)forgotten);
    return fail(error, "", found);
  }
  return fail(error, "main", "wrong arguments");
}

__attribute__((visibility("default"))) const heapspan_program* heapspan_program_table(void) {
  static const heapspan_program program = {
      .boundary_version = TEST_VERSION,
      .struct_bytes = sizeof program,
      .cpu_level = TEST_CPU_LEVEL,
      .compiler = "a compiler",
      .main = run_main,
      .stage_open = stage_open,
      .stage_advance = stage_advance,
      .stage_close = stage_close,
      .forget_broadcast = forget_broadcast,
  };
  return &program;
}
