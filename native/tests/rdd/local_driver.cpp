#include "local_driver.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>

namespace heapspan::testing {

namespace files = std::filesystem;

class LocalDriver::Batch {
 public:
  Batch(const void* data, uint64_t size) : memory_(size / 8 + 3), size_(size) {
    if (size != 0) {
      std::memcpy(begin(), data, size);
    }
  }
  char* begin() {
    auto* bytes = reinterpret_cast<char*>(memory_.data());
    return bytes + (reinterpret_cast<uintptr_t>(bytes) % 16 == 0 ? 8 : 0);
  }
  uint64_t size() const { return size_; }

 private:
  std::vector<uint64_t> memory_;
  uint64_t size_;
};

struct LocalDriver::Node {
  enum class Kind { source, stage, shuffle, union_of, coalesce } kind = Kind::source;
  std::vector<std::shared_ptr<Node>> inputs;
  std::vector<Batches> source;
  uint64_t kernel = 0;
  std::string captures;
  int32_t arrangement = 0;
  int32_t partitions = 0;
  // Of a shuffle: [map task][partition], once the maps ran.
  std::vector<std::vector<Batches>> outputs;
  bool maps_ran = false;
  bool persisted = false;
  std::map<int32_t, Batches> kept;
};

struct LocalDriver::Task {
  LocalDriver* driver;
  heapspan_task table;
  std::vector<std::shared_ptr<Node>> inputs;
  std::vector<int32_t> input_partitions;
  std::vector<Batches> read;
  std::vector<size_t> position;
  std::vector<bool> begun;
  std::map<int64_t, BatchPointer> lent;
  int64_t next_id = 1;
  Batches emitted;
  std::vector<Batches> outputs;
  int32_t last_output = 0;
  uint64_t reserved = 0;
  struct SpillFile {
    std::string bytes;
    size_t position = 0;
    bool reading = false;
  };
  std::map<int64_t, SpillFile> spills;
};

// The functions of the two tables. A broken rule of the boundary is the failure HEAPSPAN_HOST_FAILED, with a message.
struct LocalDriver::Calls {
  static LocalDriver& driver(void* self) { return *static_cast<LocalDriver*>(self); }
  static Task& task(void* self) { return *static_cast<Task*>(self); }
  static heapspan_status refuse(const char* message) {
    std::fprintf(stderr, "local driver: %s\n", message);
    return HEAPSPAN_HOST_FAILED;
  }

  // ------------------------------------------------------------------------------------------------------- sources
  static bool read_files(const char* path, std::vector<std::string>& contents) {
    std::vector<files::path> paths;
    if (files::is_directory(path)) {
      for (const auto& entry : files::directory_iterator(path)) {
        paths.push_back(entry.path());
      }
      std::sort(paths.begin(), paths.end());
    } else if (files::exists(path)) {
      paths.emplace_back(path);
    } else {
      return false;
    }
    for (const files::path& each : paths) {
      std::ifstream in(each, std::ios::binary);
      contents.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
    }
    return true;
  }
  // Divides contents at places that `next_place` allows, into partitions of two batches each.
  template <class NextPlace>
  static Node divided(const std::vector<std::string>& contents, int32_t wanted, NextPlace&& next_place) {
    Node node;
    size_t total = 0;
    for (const std::string& content : contents) {
      total += content.size();
    }
    size_t target = total / static_cast<size_t>(std::max(wanted, 1)) + 1;
    for (const std::string& content : contents) {
      for (size_t begin = 0; begin < content.size();) {
        size_t end = next_place(content, std::min(content.size(), begin + target));
        size_t middle = next_place(content, begin + (end - begin) / 2);
        node.source.push_back({std::make_shared<Batch>(content.data() + begin, middle - begin),
                               std::make_shared<Batch>(content.data() + middle, end - middle)});
        begin = end;
      }
    }
    node.partitions = static_cast<int32_t>(node.source.size());
    return node;
  }
  static heapspan_status text_file(void* self, const char* path, int32_t min_partitions, int64_t* handle) {
    LocalDriver& d = driver(self);
    std::vector<std::string> contents;
    if (!read_files(path, contents)) {
      return refuse("no such file");
    }
    int32_t wanted = min_partitions == 0 ? d.options_.default_parallelism : min_partitions;
    *handle = d.add(divided(contents, wanted, [](const std::string& content, size_t place) {
      size_t newline = place == 0 ? 0 : content.find('\n', place - 1);
      return newline == std::string::npos ? content.size() : newline + 1;
    }));
    return HEAPSPAN_OK;
  }
  static heapspan_status binary_records(void* self, const char* path, uint32_t record_bytes, int32_t min_partitions,
                                        int64_t* handle) {
    LocalDriver& d = driver(self);
    std::vector<std::string> contents;
    if (!read_files(path, contents)) {
      return refuse("no such file");
    }
    for (const std::string& content : contents) {
      if (content.size() % record_bytes != 0) {
        return refuse("a file ends inside of a record");
      }
    }
    int32_t wanted = min_partitions == 0 ? d.options_.default_parallelism : min_partitions;
    *handle = d.add(divided(contents, wanted, [record_bytes](const std::string&, size_t place) {
      return (place + record_bytes - 1) / record_bytes * record_bytes;
    }));
    return HEAPSPAN_OK;
  }
  static heapspan_status parallelize(void* self, const heapspan_bytes* partitions, int32_t count, int64_t* handle) {
    Node node;
    for (int32_t i = 0; i < count; i++) {
      Batches batches;
      if (partitions[i].size != 0) {
        batches.push_back(std::make_shared<Batch>(partitions[i].data, partitions[i].size));
      }
      node.source.push_back(batches);
    }
    node.partitions = count;
    *handle = driver(self).add(node);
    return HEAPSPAN_OK;
  }

  // ------------------------------------------------------------------------------------------------ transformations
  static heapspan_status make(LocalDriver& d, const heapspan_stage_plan* plan, Node::Kind kind, int32_t partitions,
                              int64_t* handle) {
    Node node;
    node.kind = kind;
    node.kernel = plan->kernel;
    node.captures.assign(static_cast<const char*>(plan->captures.data), plan->captures.size);
    node.arrangement = plan->arrangement;
    int32_t count = 1;
    for (int32_t i = 0; i < plan->input_count; i++) {
      auto input = d.nodes_.find(plan->inputs[i]);
      if (input == d.nodes_.end()) {
        return refuse("a stage reads an unknown node");
      }
      int32_t input_partitions = d.partition_count(*input->second);
      if (plan->arrangement == HEAPSPAN_CARTESIAN) {
        count *= input_partitions;
      } else if (i != 0 && input_partitions != count) {
        return refuse("the inputs of a stage have different numbers of partitions");
      } else {
        count = input_partitions;
      }
      node.inputs.push_back(input->second);
    }
    if (plan->input_count < 1 || (plan->arrangement == HEAPSPAN_CARTESIAN && plan->input_count != 2)) {
      return refuse("a stage has a wrong number of inputs");
    }
    node.partitions = kind == Node::Kind::shuffle ? partitions : count;
    d.operators_.emplace_back(plan->operators);
    d.orders_.push_back(plan->order);
    *handle = d.add(node);
    return HEAPSPAN_OK;
  }
  static heapspan_status stage(void* self, const heapspan_stage_plan* plan, int64_t* handle) {
    return make(driver(self), plan, Node::Kind::stage, 0, handle);
  }
  static heapspan_status shuffle(void* self, const heapspan_stage_plan* plan, int32_t partitions, int64_t* handle) {
    if (partitions < 1) {
      return refuse("a shuffle needs a partition");
    }
    return make(driver(self), plan, Node::Kind::shuffle, partitions, handle);
  }
  static heapspan_status union_of(void* self, const int64_t* nodes, int32_t count, int64_t* handle) {
    Node node;
    node.kind = Node::Kind::union_of;
    for (int32_t i = 0; i < count; i++) {
      node.inputs.push_back(driver(self).nodes_.at(nodes[i]));
      node.partitions += driver(self).partition_count(*node.inputs.back());
    }
    *handle = driver(self).add(node);
    return HEAPSPAN_OK;
  }
  static heapspan_status coalesce(void* self, int64_t input, int32_t partitions, int64_t* handle) {
    Node node;
    node.kind = Node::Kind::coalesce;
    node.inputs = {driver(self).nodes_.at(input)};
    node.partitions = std::min(partitions, driver(self).partition_count(*node.inputs[0]));
    *handle = driver(self).add(node);
    return HEAPSPAN_OK;
  }

  // ------------------------------------------------------------------------------------------------------ nodes, jobs
  static heapspan_status count_partitions(void* self, int64_t handle, int32_t* count) {
    *count = driver(self).partition_count(driver(self).node(handle));
    return HEAPSPAN_OK;
  }
  static heapspan_status persist(void* self, int64_t handle, int32_t level) {
    if (level < HEAPSPAN_MEMORY || level > HEAPSPAN_DISK) {
      return refuse("an unknown storage level");
    }
    driver(self).node(handle).persisted = true;
    return HEAPSPAN_OK;
  }
  static heapspan_status unpersist(void* self, int64_t handle) {
    driver(self).node(handle).persisted = false;
    driver(self).node(handle).kept.clear();
    return HEAPSPAN_OK;
  }
  static heapspan_status checkpoint(void* self, int64_t handle) { return persist(self, handle, HEAPSPAN_DISK); }
  static void release(void* self, int64_t handle) {
    driver(self).counters_.nodes_released += static_cast<int64_t>(driver(self).nodes_.erase(handle));
  }
  static heapspan_status collect(void* self, int64_t handle, const int32_t* partitions, int32_t count, void* receiver,
                                 heapspan_receiver receive) {
    LocalDriver& d = driver(self);
    std::shared_ptr<Node> node = d.nodes_.at(handle);
    // The last partition first: the order is nothing to rely on.
    for (int32_t i = count - 1; i >= 0; i--) {
      Batches batches;
      d.counters_.collected_partitions++;
      if (heapspan_status status = d.compute(node, partitions[i], batches); status != HEAPSPAN_OK) {
        return status;
      }
      for (const BatchPointer& batch : batches) {
        if (heapspan_status status = receive(receiver, partitions[i], {batch->begin(), batch->size()});
            status != HEAPSPAN_OK) {
          return status;
        }
      }
    }
    return HEAPSPAN_OK;
  }
  static heapspan_status save(void* self, int64_t handle, const char* path) {
    LocalDriver& d = driver(self);
    std::shared_ptr<Node> node = d.nodes_.at(handle);
    if (!files::create_directories(path)) {
      return refuse("the folder exists");
    }
    for (int32_t i = 0; i < d.partition_count(*node); i++) {
      Batches batches;
      if (heapspan_status status = d.compute(node, i, batches); status != HEAPSPAN_OK) {
        return status;
      }
      char name[32];
      std::snprintf(name, sizeof(name), "part-%05d", i);
      std::ofstream out(files::path(path) / name, std::ios::binary);
      for (const BatchPointer& batch : batches) {
        out.write(batch->begin(), static_cast<std::streamsize>(batch->size()));
      }
    }
    return HEAPSPAN_OK;
  }

  // -------------------------------------------------------------------------------------------------- shared values
  static heapspan_status broadcast(void* self, heapspan_bytes value, int64_t* broadcast) {
    static int64_t next = 1000;
    *broadcast = next++;
    driver(self).broadcasts_[*broadcast].assign(static_cast<const char*>(value.data), value.size);
    return HEAPSPAN_OK;
  }
  static heapspan_status destroy_broadcast(void* self, int64_t broadcast) {
    if (driver(self).broadcasts_.erase(broadcast) != 1) {
      return refuse("an unknown broadcast");
    }
    driver(self).program_->forget_broadcast(broadcast);
    return HEAPSPAN_OK;
  }
  static void release_broadcast(void* self, int64_t) { driver(self).counters_.broadcasts_released++; }
  static heapspan_status accumulator(void* self, const char*, int32_t kind, int64_t* accumulator) {
    *accumulator = static_cast<int64_t>(driver(self).accumulators_.size());
    heapspan_number zero = {};
    if (kind == HEAPSPAN_SUM_OF_DOUBLES) {
      zero.as_double = 0;
    }
    driver(self).accumulators_[*accumulator] = {kind, zero};
    return HEAPSPAN_OK;
  }
  static heapspan_status accumulator_value(void* self, int64_t accumulator, heapspan_number* value) {
    *value = driver(self).accumulators_.at(accumulator).second;
    return HEAPSPAN_OK;
  }

  // ------------------------------------------------------------------------------------- values of the application
  // An input is the output of the same name.
  static heapspan_status input(void* self, const char* name, const char* type, int64_t* handle) {
    auto found = driver(self).outputs_.find(name);
    if (found == driver(self).outputs_.end() || found->second.first != type) {
      return refuse("no input of this name and type");
    }
    *handle = driver(self).add(*found->second.second);
    return HEAPSPAN_OK;
  }
  static heapspan_status output(void* self, int64_t handle, const char* name, const char* type) {
    driver(self).outputs_[name] = {type, driver(self).nodes_.at(handle)};
    return HEAPSPAN_OK;
  }

  // A table is what was saved before, under its path with its columns.
  static std::string table_name(const char* path, const char* const* columns, int32_t column_count) {
    std::string name = path;
    for (int32_t i = 0; i < column_count; i++) {
      name += std::string(" ") + columns[i];
    }
    return name;
  }
  static heapspan_status parquet_file(void* self, const char* path, const char* const* columns, int32_t column_count,
                                      const char* type, int64_t* handle) {
    return input(self, table_name(path, columns, column_count).c_str(), type, handle);
  }
  static heapspan_status save_parquet(void* self, int64_t handle, const char* path, const char* const* columns,
                                      int32_t column_count, const char* type) {
    return output(self, handle, table_name(path, columns, column_count).c_str(), type);
  }

  // ----------------------------------------------------------------------------------------------------------- tasks
  static heapspan_status next_batch(void* self, int32_t input, heapspan_batch* batch) {
    Task& t = task(self);
    LocalDriver& d = *t.driver;
    if (++d.reads_ == d.options_.failing_read) {
      return HEAPSPAN_HOST_FAILED;
    }
    if (input < 0 || input >= static_cast<int32_t>(t.inputs.size())) {
      return refuse("a stage reads an input that it does not have");
    }
    auto i = static_cast<size_t>(input);
    if (!t.begun[i]) {
      t.begun[i] = true;
      if (heapspan_status status = d.compute(t.inputs[i], t.input_partitions[i], t.read[i]); status != HEAPSPAN_OK) {
        return status;
      }
    }
    if (t.position[i] == t.read[i].size()) {
      return HEAPSPAN_END;
    }
    // A copy, so that a sanitizer sees uses after the release.
    BatchPointer& original = t.read[i][t.position[i]++];
    auto lent = std::make_shared<Batch>(original->begin(), original->size());
    t.lent[t.next_id] = lent;
    *batch = {lent->begin(), lent->size(), t.next_id++};
    d.counters_.batches_lent++;
    return HEAPSPAN_OK;
  }
  static void release_batch(void* self, int64_t id) {
    task(self).driver->counters_.batches_released += static_cast<int64_t>(task(self).lent.erase(id));
  }
  static heapspan_status rewind_input(void* self, int32_t input) {
    task(self).position.at(static_cast<size_t>(input)) = 0;
    return HEAPSPAN_OK;
  }
  static heapspan_status emit_batch(void* self, void* data, uint64_t size) {
    task(self).emitted.push_back(std::make_shared<Batch>(data, size));
    task(self).driver->counters_.batches_emitted++;
    std::free(data);
    return task(self).table.output_partitions == 0 ? HEAPSPAN_OK : refuse("a map side emits a batch");
  }
  static heapspan_status write_map_output(void* self, int32_t partition, heapspan_bytes batch) {
    Task& t = task(self);
    if (partition < t.last_output || partition >= t.table.output_partitions || batch.size == 0) {
      return refuse("map output for a wrong partition, or without contents");
    }
    t.last_output = partition;
    t.outputs[static_cast<size_t>(partition)].push_back(std::make_shared<Batch>(batch.data, batch.size));
    return HEAPSPAN_OK;
  }
  static heapspan_status reserve_memory(void* self, uint64_t bytes) {
    Task& t = task(self);
    if (t.reserved + bytes > t.driver->options_.memory_bytes) {
      t.driver->counters_.refusals++;
      return HEAPSPAN_REFUSED;
    }
    t.reserved += bytes;
    t.driver->counters_.bytes_reserved += static_cast<int64_t>(bytes);
    return HEAPSPAN_OK;
  }
  static void release_memory(void* self, uint64_t bytes) {
    task(self).reserved -= bytes;
    task(self).driver->counters_.bytes_released += static_cast<int64_t>(bytes);
  }
  static heapspan_status spill_create(void* self, int64_t* spill) {
    *spill = task(self).next_id++;
    task(self).spills[*spill];
    Counters& counters = task(self).driver->counters_;
    counters.spills++;
    counters.most_spills = std::max(counters.most_spills, static_cast<int64_t>(task(self).spills.size()));
    return HEAPSPAN_OK;
  }
  static heapspan_status spill_write(void* self, int64_t spill, heapspan_bytes block) {
    auto file = task(self).spills.find(spill);
    if (file == task(self).spills.end() || file->second.reading) {
      return refuse("a write to a spill that is read or deleted");
    }
    file->second.bytes.append(static_cast<const char*>(block.data), block.size);
    return HEAPSPAN_OK;
  }
  static heapspan_status spill_read(void* self, int64_t spill, void* buffer, uint64_t size) {
    auto file = task(self).spills.find(spill);
    if (file == task(self).spills.end() || size > file->second.bytes.size() - file->second.position) {
      return refuse("a read of more than a spill has");
    }
    file->second.reading = true;
    std::memcpy(buffer, file->second.bytes.data() + file->second.position, size);
    file->second.position += size;
    return HEAPSPAN_OK;
  }
  static void spill_delete(void* self, int64_t spill) { task(self).spills.erase(spill); }
  static int32_t is_cancelled(void* self) {
    LocalDriver& d = *task(self).driver;
    return d.options_.cancelled_after != 0 && ++d.cancel_checks_ > d.options_.cancelled_after ? 1 : 0;
  }
  static heapspan_status broadcast_value(void* self, int64_t broadcast, heapspan_bytes* value) {
    auto& broadcasts = task(self).driver->broadcasts_;
    auto found = broadcasts.find(broadcast);
    if (found == broadcasts.end()) {
      return refuse("a broadcast that is unknown or destroyed");
    }
    *value = {found->second.data(), found->second.size()};
    task(self).driver->counters_.broadcasts_read++;
    return HEAPSPAN_OK;
  }
  static heapspan_status accumulate(void* self, int64_t accumulator, heapspan_number value) {
    auto& [kind, sum] = task(self).driver->accumulators_.at(accumulator);
    if (kind == HEAPSPAN_SUM_OF_DOUBLES) {
      sum.as_double += value.as_double;
    } else {
      sum.as_long += value.as_long;
    }
    return HEAPSPAN_OK;
  }
};

LocalDriver::LocalDriver(const heapspan_program* program, LocalOptions options)
    : program_(program),
      options_(options),
      table_{.boundary_version = HEAPSPAN_BOUNDARY_VERSION,
             .struct_bytes = sizeof(heapspan_driver),
             .self = this,
             .default_parallelism = options.default_parallelism,
             .text_file = &Calls::text_file,
             .binary_records = &Calls::binary_records,
             .parallelize = &Calls::parallelize,
             .stage = &Calls::stage,
             .shuffle = &Calls::shuffle,
             .union_of = &Calls::union_of,
             .coalesce = &Calls::coalesce,
             .partition_count = &Calls::count_partitions,
             .persist = &Calls::persist,
             .unpersist = &Calls::unpersist,
             .checkpoint = &Calls::checkpoint,
             .release = &Calls::release,
             .collect = &Calls::collect,
             .save = &Calls::save,
             .broadcast = &Calls::broadcast,
             .destroy_broadcast = &Calls::destroy_broadcast,
             .accumulator = &Calls::accumulator,
             .accumulator_value = &Calls::accumulator_value,
             .input = &Calls::input,
             .output = &Calls::output,
             .parquet_file = &Calls::parquet_file,
             .save_parquet = &Calls::save_parquet,
             .release_broadcast = &Calls::release_broadcast} {}

// The end of an application, which has no broadcasts any more.
LocalDriver::~LocalDriver() {
  for (const auto& [broadcast, value] : broadcasts_) {
    program_->forget_broadcast(broadcast);
  }
}

int64_t LocalDriver::add(Node node) {
  counters_.nodes_made++;
  nodes_[next_handle_] = std::make_shared<Node>(std::move(node));
  return next_handle_++;
}

LocalDriver::Node& LocalDriver::node(int64_t handle) { return *nodes_.at(handle); }

int32_t LocalDriver::partition_count(Node& node) { return node.partitions; }

heapspan_status LocalDriver::run(const std::shared_ptr<Node>& node, int32_t partition, int32_t output_partitions,
                                 Task& task) {
  counters_.stages++;
  task.driver = this;
  task.inputs = node->inputs;
  if (node->arrangement == HEAPSPAN_CARTESIAN) {
    int32_t right = partition_count(*node->inputs[1]);
    task.input_partitions = {partition / right, partition % right};
  } else {
    task.input_partitions.assign(node->inputs.size(), partition);
  }
  task.read.resize(node->inputs.size());
  task.position.resize(node->inputs.size());
  task.begun.resize(node->inputs.size());
  task.outputs.resize(static_cast<size_t>(output_partitions));
  // The captures at an address that no other batch has.
  Batch captures(node->captures.data(), node->captures.size());
  task.table = {.boundary_version = HEAPSPAN_BOUNDARY_VERSION,
                .struct_bytes = sizeof(heapspan_task),
                .self = &task,
                .partition = partition,
                .attempt = 0,
                .input_count = static_cast<int32_t>(node->inputs.size()),
                .output_partitions = output_partitions,
                .captures = {captures.begin(), captures.size()},
                .next_batch = &Calls::next_batch,
                .release_batch = &Calls::release_batch,
                .rewind_input = &Calls::rewind_input,
                .emit_batch = &Calls::emit_batch,
                .write_map_output = &Calls::write_map_output,
                .reserve_memory = &Calls::reserve_memory,
                .release_memory = &Calls::release_memory,
                .spill_create = &Calls::spill_create,
                .spill_write = &Calls::spill_write,
                .spill_read = &Calls::spill_read,
                .spill_delete = &Calls::spill_delete,
                .is_cancelled = &Calls::is_cancelled,
                .broadcast_value = &Calls::broadcast_value,
                .accumulate = &Calls::accumulate,
                .free_storage_bytes = options_.free_storage_bytes};
  heapspan_stage* stage = nullptr;
  heapspan_error error = {};
  heapspan_status status = program_->stage_open(node->kernel, &task.table, &stage, &error);
  if (status == HEAPSPAN_OK) {
    int32_t done = 0;
    while (status == HEAPSPAN_OK && done == 0) {
      size_t emitted = task.emitted.size();
      counters_.advances++;
      status = program_->stage_advance(stage, &done, &error);
      uint64_t bytes = 0;
      for (size_t i = emitted; i < task.emitted.size(); i++) {
        bytes += task.emitted[i]->size();
      }
      counters_.most_bytes_emitted = std::max(counters_.most_bytes_emitted, bytes);
      if (status == HEAPSPAN_OK && done == 0 && task.emitted.size() == emitted) {
        status = Calls::refuse("a stage neither emitted a batch nor was done");
      }
    }
    program_->stage_close(stage);
  }
  if (status == HEAPSPAN_PROGRAM_FAILED) {
    stage_error_ = error;
    // Spark throws an exception for a failed task, also in the driver.
    status = HEAPSPAN_HOST_FAILED;
  }
  if (task.reserved != 0 || !task.lent.empty() || !task.spills.empty()) {
    return Calls::refuse("a stage did not give back its memory, batches or spills");
  }
  return status;
}

heapspan_status LocalDriver::run_maps(Node& node) {
  if (node.maps_ran) {
    return HEAPSPAN_OK;
  }
  int32_t maps = 1;
  for (const auto& input : node.inputs) {
    maps = node.arrangement == HEAPSPAN_CARTESIAN ? maps * partition_count(*input) : partition_count(*input);
  }
  auto shared = std::make_shared<Node>(node);
  for (int32_t map = 0; map < maps; map++) {
    Task task;
    if (heapspan_status status = run(shared, map, node.partitions, task); status != HEAPSPAN_OK) {
      return status;
    }
    node.outputs.push_back(std::move(task.outputs));
  }
  node.maps_ran = true;
  return HEAPSPAN_OK;
}

heapspan_status LocalDriver::compute(const std::shared_ptr<Node>& node, int32_t partition, Batches& batches) {
  if (auto kept = node->kept.find(partition); kept != node->kept.end()) {
    batches = kept->second;
    return HEAPSPAN_OK;
  }
  switch (node->kind) {
    case Node::Kind::source:
      batches = node->source.at(static_cast<size_t>(partition));
      break;
    case Node::Kind::stage: {
      Task task;
      if (heapspan_status status = run(node, partition, 0, task); status != HEAPSPAN_OK) {
        return status;
      }
      batches = std::move(task.emitted);
      break;
    }
    case Node::Kind::shuffle: {
      if (heapspan_status status = run_maps(*node); status != HEAPSPAN_OK) {
        return status;
      }
      for (auto output = node->outputs.rbegin(); output != node->outputs.rend(); ++output) {
        Batches& part = (*output)[static_cast<size_t>(partition)];
        batches.insert(batches.end(), part.begin(), part.end());
      }
      break;
    }
    case Node::Kind::union_of: {
      int32_t rest = partition;
      for (const auto& input : node->inputs) {
        int32_t count = partition_count(*input);
        if (rest < count) {
          return compute(input, rest, batches);
        }
        rest -= count;
      }
      return Calls::refuse("a union without this partition");
    }
    case Node::Kind::coalesce:
      for (int32_t i = partition; i < partition_count(*node->inputs[0]); i += node->partitions) {
        Batches part;
        if (heapspan_status status = compute(node->inputs[0], i, part); status != HEAPSPAN_OK) {
          return status;
        }
        batches.insert(batches.end(), part.begin(), part.end());
      }
      break;
  }
  if (node->persisted) {
    node->kept[partition] = batches;
  }
  return HEAPSPAN_OK;
}

}  // namespace heapspan::testing
