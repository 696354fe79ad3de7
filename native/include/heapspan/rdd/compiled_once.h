#pragma once

#include "program.h"

// The functions that are the same in all programs; see HEAPSPAN_ONCE.

namespace heapspan {
namespace detail {

[[noreturn, gnu::cold]] HEAPSPAN_ONCE void fail(const char* message) { throw Error(message); }

HEAPSPAN_ONCE void UntypedBuffer::borrow(const void* values, size_t count) {
  if (capacity_ != 0) {
    std::free(data_);
  }
  data_ = const_cast<void*>(values);  // NOLINT: a window is only read, because its capacity is 0
  size_ = count;
  capacity_ = 0;
}

HEAPSPAN_ONCE UntypedBuffer::~UntypedBuffer() {
  if (capacity_ != 0) {
    std::free(data_);
  }
}

HEAPSPAN_ONCE void UntypedBuffer::grow(size_t wanted, size_t value_bytes) {
  size_t capacity = std::max(capacity_ == 0 ? 16 : capacity_ * 2, wanted);
  void* memory = std::realloc(capacity_ == 0 ? nullptr : data_, capacity * value_bytes);
  if (memory == nullptr) {
    throw std::bad_alloc();
  }
  if (capacity_ == 0 && size_ != 0) {
    std::memcpy(memory, data_, size_ * value_bytes);
  }
  data_ = memory;
  capacity_ = capacity;
}

[[noreturn, gnu::cold]] HEAPSPAN_ONCE void fail_in_host(heapspan_status status) {
  if (status == HEAPSPAN_HOST_FAILED) {
    throw HostFailed();
  }
  throw Error("the host answered with the unexpected status " + std::to_string(status));
}

[[noreturn, gnu::cold]] HEAPSPAN_ONCE void fail_in_operator(const char* operator_name) {
  try {
    throw;
  } catch (const HostFailed&) {
    throw;
  } catch (const OperatorError&) {
    throw;
  } catch (const std::exception& failure) {
    throw OperatorError(operator_name, failure.what());
  } catch (...) {
    throw OperatorError(operator_name, "the kernel threw something that is not a std::exception");
  }
}

[[noreturn, gnu::cold]] HEAPSPAN_ONCE void fail_to_parse(const char* problem, std::string_view text) {
  throw Error(std::string(problem) + ": '" + std::string(text.substr(0, 60)) + "'");
}

template <class T>
void append_digits(std::string& out, T number) {
  char digits[64];
  out.append(digits, std::to_chars(digits, digits + sizeof(digits), number).ptr);
}

HEAPSPAN_ONCE void append_number(std::string& out, int64_t number) { append_digits(out, number); }
HEAPSPAN_ONCE void append_number(std::string& out, uint64_t number) { append_digits(out, number); }
HEAPSPAN_ONCE void append_number(std::string& out, float number) { append_digits(out, number); }
HEAPSPAN_ONCE void append_number(std::string& out, double number) { append_digits(out, number); }
HEAPSPAN_ONCE void append_number(std::string& out, long double number) { append_digits(out, number); }

HEAPSPAN_ONCE heapspan_status report(heapspan_error* error) noexcept {
  auto fail = [error](std::string_view operator_name, std::string_view message) {
    if (error != nullptr) {
      copy_text(error->operator_name, operator_name);
      copy_text(error->message, message);
    }
    return HEAPSPAN_PROGRAM_FAILED;
  };
  try {
    throw;
  } catch (const HostFailed&) {
    return HEAPSPAN_HOST_FAILED;
  } catch (const OperatorError& failure) {
    return fail(failure.operator_name(), failure.what());
  } catch (const std::exception& failure) {
    return fail("", failure.what());
  } catch (...) {
    return fail("", "something was thrown that is not a std::exception");
  }
}

HEAPSPAN_ONCE void BatchWriter::add_part(const void* data, size_t size, uint64_t number_bytes) {
  parts_.push_back({data, size, number_bytes});
}

HEAPSPAN_ONCE BatchMemory BatchWriter::finish(size_t rows) {
  size_t words = 2 + parts_.size();
  for (const Part& part : parts_) {
    words += aligned(part.size) / 8;
  }
  BatchMemory memory;
  memory.reserve(words);
  memory.push(rows);
  memory.push(parts_.size());
  for (const Part& part : parts_) {
    memory.push(part.size | part.number_bytes << length_bits);
  }
  for (const Part& part : parts_) {
    if (part.size != 0) {
      uint64_t* target = memory.extend(aligned(part.size) / 8);
      target[aligned(part.size) / 8 - 1] = 0;
      std::memcpy(target, part.data, part.size);
    }
  }
  return memory;
}

HEAPSPAN_ONCE BatchReader::BatchReader(const void* data, size_t size) {
  const auto* words = static_cast<const uint64_t*>(data);
  if (size < 16 || size % 8 != 0 || reinterpret_cast<uintptr_t>(data) % 8 != 0 || words[1] > size / 8 - 2) {
    damaged();
  }
  rows_ = words[0];
  count_ = words[1];
  lengths_ = words + 2;
  next_ = words + 2 + count_;
  end_ = words + size / 8;
  // No element takes less than a bit, but for types without contents, whose number nothing bounds.
  if (rows_ > (uint64_t{1} << 40)) {
    damaged();
  }
}

HEAPSPAN_ONCE void BatchReader::take_any(UntypedBuffer& buffer, size_t value_bytes) {
  if (position_ >= count_) {
    damaged();
  }
  uint64_t length = lengths_[position_++] & ((uint64_t{1} << length_bits) - 1);
  if (length > static_cast<uint64_t>(end_ - next_) * 8 || length % value_bytes != 0) {
    damaged();
  }
  buffer.borrow(next_, length / value_bytes);
  next_ += aligned(length) / 8;
}

HEAPSPAN_ONCE void BatchReader::take(UntypedBuffer& buffer, size_t value_bytes, size_t expected) {
  take_any(buffer, value_bytes);
  if (buffer.size() != expected) {
    damaged();
  }
}

[[noreturn, gnu::cold]] HEAPSPAN_ONCE void BatchReader::damaged() {
  fail("a batch is damaged, or was written by another program: it does not have the expected buffers");
}

HEAPSPAN_ONCE void Offsets::read(BatchReader& reader, size_t rows) {
  if (rows == 0) {
    reader.take_any(offsets_);
    offsets_ = Buffer<uint32_t>();
    return;
  }
  reader.take(offsets_, rows + 1);
  bool ordered = offsets_[0] == 0;
  for (size_t i = 0; i < rows; i++) {
    ordered &= offsets_[i] <= offsets_[i + 1];
  }
  if (!ordered) {
    fail("a batch is damaged: its offsets are not in order");
  }
}

HEAPSPAN_ONCE void Task::emit(BatchMemory memory) {
  uint64_t bytes = memory.size() * sizeof(uint64_t);
  emitted_ = true;
  emitted_bytes_ += bytes;
  check(host_->emit_batch(host_->self, memory.release(), bytes));
}

HEAPSPAN_ONCE Task::~Task() = default;

HEAPSPAN_ONCE AccumulatorCell* Task::cell(int64_t accumulator, heapspan_number zero) {
  for (const auto& cell : cells_) {
    if (cell->accumulator == accumulator) {
      return cell.get();
    }
  }
  cells_.push_back(std::make_unique<AccumulatorCell>(AccumulatorCell{accumulator, zero}));
  return cells_.back().get();
}

HEAPSPAN_ONCE void Task::report_accumulators() {
  for (const auto& cell : cells_) {
    check(host_->accumulate(host_->self, cell->accumulator, cell->sum));
  }
  cells_.clear();
}

HEAPSPAN_ONCE bool InputBatch::next(Task& task, int32_t input) {
  release();
  heapspan_status status = task.host().next_batch(task.host().self, input, &batch_);
  if (status == HEAPSPAN_END) {
    return false;
  }
  check(status);
  task_ = &task;
  return true;
}

HEAPSPAN_ONCE void InputBatch::release() {
  if (task_ != nullptr) {
    task_->host().release_batch(task_->host().self, batch_.id);
    task_ = nullptr;
  }
}

HEAPSPAN_ONCE Batches::Batches() = default;
HEAPSPAN_ONCE Batches::Batches(Task& task, int32_t input) : task_(&task), input_(input) {}
HEAPSPAN_ONCE Batches::Batches(Task& task, std::optional<Spill> spill) : task_(&task), spill_(std::move(spill)) {}
HEAPSPAN_ONCE Batches::Batches(Batches&& other) noexcept = default;
HEAPSPAN_ONCE Batches& Batches::operator=(Batches&& other) noexcept = default;
HEAPSPAN_ONCE Batches::~Batches() = default;

HEAPSPAN_ONCE bool Batches::next_block() {
  task_->fail_if_cancelled();
  if (input_ >= 0) {
    if (!batch_.next(*task_, input_)) {
      return false;
    }
    data_ = batch_.data();
    size_ = batch_.size();
    return true;
  }
  if (!spill_ || !spill_->read(block_)) {
    return false;
  }
  data_ = block_.data();
  size_ = block_.size() * sizeof(uint64_t);
  return true;
}

HEAPSPAN_ONCE bool Reservation::ensure(size_t bytes) {
  if (bytes <= free_bytes || bytes <= held_) {
    return true;
  }
  // Ahead of need, so that the host is not asked for each chunk.
  for (size_t wanted : {bytes + std::min<size_t>(bytes / 2, 64 << 20), bytes}) {
    heapspan_status status = task_->host().reserve_memory(task_->host().self, wanted - held_);
    if (status == HEAPSPAN_OK) {
      held_ = wanted;
      return true;
    }
    if (status != HEAPSPAN_REFUSED) {
      check(status);
    }
  }
  return false;
}

HEAPSPAN_ONCE void Reservation::release() {
  if (held_ != 0) {
    task_->host().release_memory(task_->host().self, held_);
    held_ = 0;
  }
}

HEAPSPAN_ONCE Spill::Spill(Task& task) : task_(&task) { check(task.host().spill_create(task.host().self, &id_)); }

HEAPSPAN_ONCE Spill::~Spill() {
  if (task_ != nullptr) {
    task_->host().spill_delete(task_->host().self, id_);
  }
}

HEAPSPAN_ONCE void Spill::write(const BatchMemory& memory) {
  uint64_t words = memory.size();
  write_block(&words, sizeof(words));
  write_block(memory.data(), words * sizeof(uint64_t));
}

HEAPSPAN_ONCE bool Spill::read(BatchMemory& memory) {
  if (left_ == 0) {
    return false;
  }
  uint64_t words = 0;
  read_block(&words, sizeof(words));
  memory.clear();
  read_block(memory.extend(words), words * sizeof(uint64_t));
  return true;
}

HEAPSPAN_ONCE void BatchOutput::add(size_t partition, BatchMemory batch) {
  if (task_->output_partitions() == 0) {
    task_->emit(std::move(batch));
  } else {
    held_bytes_ += batch.size() * sizeof(uint64_t);
    batches_[partition].push_back(std::move(batch));
  }
}

HEAPSPAN_ONCE bool BatchOutput::account(ColumnMemory& memory, size_t contents_bytes, size_t allocated_bytes) {
  memory.next_account_bytes = contents_bytes + contents_bytes / 4 + (by_element ? 1 : 1024);
  column_bytes_ += allocated_bytes - memory.accounted_bytes;
  memory.accounted_bytes = allocated_bytes;
  return task_->output_partitions() == 0 || ensure(column_bytes_);
}

HEAPSPAN_ONCE void BatchOutput::spill() {
  SpilledRun run{Spill(*task_), {}};
  for (std::vector<BatchMemory>& batches : batches_) {
    for (const BatchMemory& batch : batches) {
      run.spill.write(batch);
    }
    run.batches.push_back(static_cast<uint32_t>(batches.size()));
    batches = std::vector<BatchMemory>();
  }
  runs_.push_back(std::move(run));
  held_bytes_ = 0;
  column_bytes_ = 0;
  memory_.release();
  merge_runs();
}

// The newest runs, as long as enough of them have the same level.
HEAPSPAN_ONCE void BatchOutput::merge_runs() {
  while (runs_.size() >= runs_to_merge) {
    size_t first = runs_.size() - runs_to_merge;
    int level = runs_.back().level;
    if (runs_[first].level != level) {
      return;
    }
    SpilledRun merged{Spill(*task_), std::vector<uint32_t>(batches_.size()), level + 1};
    for (size_t partition = 0; partition < batches_.size(); partition++) {
      read_runs(first, partition, [&](const BatchMemory& batch) {
        merged.spill.write(batch);
        merged.batches[partition]++;
      });
    }
    runs_.erase(runs_.begin() + static_cast<ptrdiff_t>(first), runs_.end());
    runs_.push_back(std::move(merged));
  }
}

HEAPSPAN_ONCE BatchOutput::BatchOutput(Task& task)
    : task_(&task), memory_(task), batches_(static_cast<size_t>(task.output_partitions())) {
  least_bytes_ = std::max(Reservation::free_bytes, batches_.size() * least_part_bytes);
}

HEAPSPAN_ONCE BatchOutput::~BatchOutput() = default;

HEAPSPAN_ONCE void BatchOutput::finish() {
  for (size_t partition = 0; partition < batches_.size(); partition++) {
    read_runs(0, partition,
              [&](const BatchMemory& batch) { task_->write_map_output(static_cast<int32_t>(partition), batch); });
    for (BatchMemory& batch : batches_[partition]) {
      task_->write_map_output(static_cast<int32_t>(partition), batch);
      batch = BatchMemory();
    }
  }
}

HEAPSPAN_ONCE Session::Session(const heapspan_driver* driver) : driver_(driver) {
  if (driver->boundary_version != HEAPSPAN_BOUNDARY_VERSION || driver->struct_bytes < sizeof(heapspan_driver)) {
    throw Error("the host has another version of the boundary than this program; build the program again");
  }
}

HEAPSPAN_ONCE const heapspan_driver& Session::driver() const {
  if (closed()) {
    throw Error("an Rdd, a broadcast or an accumulator was used after its Context ended");
  }
  return *driver_;
}

HEAPSPAN_ONCE Node::~Node() {
  if (!session_->closed()) {
    session_->driver().release(session_->self(), handle_);
  }
}

HEAPSPAN_ONCE BroadcastCache& BroadcastCache::instance() {
  static BroadcastCache cache;
  return cache;
}

HEAPSPAN_ONCE std::shared_ptr<BroadcastCache::Entry> BroadcastCache::entry_of(int64_t broadcast) {
  BroadcastCache& cache = instance();
  std::lock_guard lock(cache.mutex_);
  std::shared_ptr<Entry>& entry = cache.entries_[broadcast];
  if (entry == nullptr) {
    entry = std::make_shared<Entry>();
  }
  return entry;
}

HEAPSPAN_ONCE void BroadcastCache::forget(int64_t broadcast) {
  // What it frees, it frees without the lock.
  std::shared_ptr<Entry> entry;
  BroadcastCache& cache = instance();
  std::lock_guard lock(cache.mutex_);
  if (auto found = cache.entries_.find(broadcast); found != cache.entries_.end()) {
    entry = std::move(found->second);
    cache.entries_.erase(found);
  }
}

HEAPSPAN_ONCE SentBroadcast::SentBroadcast(SessionPointer session, const BatchMemory& value)
    : session_(std::move(session)) {
  check(session_->driver().broadcast(session_->self(), {value.data(), value.size() * sizeof(uint64_t)}, &number_));
}

HEAPSPAN_ONCE SentBroadcast::~SentBroadcast() {
  if (!session_->closed()) {
    session_->driver().release_broadcast(session_->self(), number_);
  }
}

HEAPSPAN_ONCE void SentBroadcast::destroy() { check(session_->driver().destroy_broadcast(session_->self(), number_)); }

HEAPSPAN_ONCE void Node::persist(int32_t level) {
  check(session_->driver().persist(session_->self(), handle_, level));
  level_ = level;
}

HEAPSPAN_ONCE std::shared_ptr<Node> Node::join_table(const Plan& plan, const StageCode& code) {
  if (level_ && joins_++ == 1) {
    join_table_ = plan.with("join table").stage(code);
    join_table_->persist(*level_);
  }
  return join_table_;
}

HEAPSPAN_ONCE void Node::unpersist() {
  check(session_->driver().unpersist(session_->self(), handle_));
  level_.reset();
  joins_ = 0;
  if (auto table = std::exchange(join_table_, nullptr)) {
    table->unpersist();
  }
}

HEAPSPAN_ONCE Plan::Plan() = default;
HEAPSPAN_ONCE Plan::Plan(const Plan&) = default;
HEAPSPAN_ONCE Plan::Plan(Plan&&) noexcept = default;
HEAPSPAN_ONCE Plan& Plan::operator=(const Plan&) = default;
HEAPSPAN_ONCE Plan& Plan::operator=(Plan&&) noexcept = default;
HEAPSPAN_ONCE Plan::~Plan() = default;

HEAPSPAN_ONCE const heapspan_driver& Plan::driver() const {
  if (session == nullptr) {
    throw Error("an Rdd was used before anything was assigned to it");
  }
  return session->driver();
}

HEAPSPAN_ONCE Plan Plan::with(std::string_view operator_name) const {
  Plan plan = *this;
  if (!plan.operators.empty()) {
    plan.operators += ", ";
  }
  plan.operators += operator_name;
  return plan;
}

HEAPSPAN_ONCE Plan&& Plan::unhashed() && {
  hash_partitions = 0;
  return std::move(*this);
}

HEAPSPAN_ONCE Plan&& Plan::varying_order() && {
  order |= HEAPSPAN_VARIES_ORDER;
  return std::move(*this);
}

HEAPSPAN_ONCE Plan&& Plan::reading_order() && {
  if ((order & HEAPSPAN_VARIES_ORDER) != 0) {
    order |= HEAPSPAN_READS_VARIED_ORDER;
  }
  order |= HEAPSPAN_READS_ORDER;
  return std::move(*this);
}

HEAPSPAN_ONCE Plan Plan::reading(NodePointer node, int32_t hashed) const {
  Plan plan;
  plan.session = session;
  plan.nodes = {std::move(node)};
  plan.hash_partitions = hashed;
  return plan;
}

HEAPSPAN_ONCE int32_t Plan::partition_count() const {
  int64_t product = 1;
  int32_t count = 0;
  for (const NodePointer& node : nodes) {
    check(driver().partition_count(driver().self, node->handle(), &count));
    product *= count;
  }
  if (arrangement != HEAPSPAN_CARTESIAN) {
    return count;
  }
  if (product > std::numeric_limits<int32_t>::max()) {
    throw Error("a cartesian product has " + std::to_string(product) + " partitions, and an RDD has at most " +
                std::to_string(std::numeric_limits<int32_t>::max()) + "; coalesce its inputs before");
  }
  return static_cast<int32_t>(product);
}

HEAPSPAN_ONCE std::vector<int64_t> Plan::handles() const {
  std::vector<int64_t> handles;
  for (const NodePointer& node : nodes) {
    handles.push_back(node->handle());
  }
  return handles;
}

HEAPSPAN_ONCE NodePointer Plan::node(int64_t handle) const { return std::make_shared<Node>(session, handle); }

HEAPSPAN_ONCE NodePointer Plan::stage(const StageCode& code) const {
  std::vector<int64_t> inputs = handles();
  heapspan_stage_plan plan = host_plan(code, inputs);
  int64_t handle = 0;
  check(driver().stage(driver().self, &plan, &handle));
  return node(handle);
}

HEAPSPAN_ONCE NodePointer Plan::by_hash(const StageCode& code, int32_t partitions) const {
  return hash_partitions == partitions ? stage(code) : shuffle(code, partitions);
}

HEAPSPAN_ONCE NodePointer Plan::shuffle(const StageCode& code, int32_t partitions) const {
  std::vector<int64_t> inputs = handles();
  heapspan_stage_plan plan = host_plan(code, inputs);
  int64_t handle = 0;
  check(driver().shuffle(driver().self, &plan, partitions, &handle));
  return node(handle);
}

HEAPSPAN_ONCE heapspan_stage_plan Plan::host_plan(const StageCode& code, const std::vector<int64_t>& inputs) const {
  return {.kernel = code.kernel,
          .captures = code.captures.bytes(),
          .operators = operators.c_str(),
          .inputs = inputs.data(),
          .input_count = static_cast<int32_t>(inputs.size()),
          .arrangement = arrangement,
          .order = order};
}

HEAPSPAN_ONCE Plan zip_plans(const Plan& left, const Plan& right, int32_t hash_partitions) {
  if (left.session != right.session) {
    throw Error("two Rdds of different Contexts cannot be combined");
  }
  Plan plan = left.with(right.operators);
  plan.nodes.insert(plan.nodes.end(), right.nodes.begin(), right.nodes.end());
  plan.order |= right.order;
  plan.hash_partitions = hash_partitions;
  return plan;
}

HEAPSPAN_ONCE OverflowSpills::~OverflowSpills() = default;

HEAPSPAN_ONCE void OverflowSpills::begin(int level) {
  level_ = level;
  spills_.resize(overflow_parts);
}

HEAPSPAN_ONCE void OverflowSpills::write(size_t part, const BatchMemory& batch) {
  if (!spills_[part]) {
    spills_[part].emplace(*task_);
  }
  spills_[part]->write(batch);
}

HEAPSPAN_ONCE PendingParts::PendingParts() = default;
HEAPSPAN_ONCE PendingParts::~PendingParts() = default;

HEAPSPAN_ONCE void PendingParts::add(std::vector<std::optional<Spill>> first, std::vector<std::optional<Spill>> second,
                                     int level) {
  for (size_t i = 0; i < overflow_parts; i++) {
    std::optional<Spill> none;
    std::optional<Spill>& other = second.empty() ? none : second[i];
    if (first[i] || other) {
      parts_.push_back({{std::move(first[i]), std::move(other)}, level});
    }
  }
}

HEAPSPAN_ONCE PendingPart PendingParts::take() {
  PendingPart part = std::move(parts_.back());
  parts_.pop_back();
  return part;
}

HEAPSPAN_ONCE void check_partitions(int32_t partitions) {
  if (partitions < 0) {
    throw Error("a number of partitions must not be negative: " + std::to_string(partitions));
  }
}

HEAPSPAN_ONCE int32_t choose_partitions(int32_t wanted, const Plan& left, const Plan* right) {
  check_partitions(wanted);
  if (wanted != 0) {
    return wanted;
  }
  if (left.hash_partitions != 0) {
    return left.hash_partitions;
  }
  if (right != nullptr && right->hash_partitions != 0) {
    return right->hash_partitions;
  }
  int32_t count = left.partition_count();
  if (right != nullptr) {
    count = std::max(count, right->partition_count());
  }
  return std::max(count, 1);
}

HEAPSPAN_ONCE void check_binary_folder(std::string_view path) {
  if (path.starts_with("rdd:")) {
    std::string message("save_as_binary needs a folder, not '");
    message.append(path).append("'; give the application elements with output(name)");
    throw Error(message);
  }
}

HEAPSPAN_ONCE heapspan_stage* open_stage(uint64_t kernel, const heapspan_task* task) {
  if (task->boundary_version != HEAPSPAN_BOUNDARY_VERSION || task->struct_bytes < sizeof(heapspan_task)) {
    throw Error("the host has another version of the boundary than this program; build the program again");
  }
  return reinterpret_cast<StageMaker>(reinterpret_cast<uintptr_t>(__ehdr_start) + kernel)(task);
}

HEAPSPAN_ONCE heapspan_status stage_open(uint64_t kernel, const heapspan_task* task, heapspan_stage** stage,
                                         heapspan_error* error) {
  return guard(error, [&] { *stage = open_stage(kernel, task); });
}

HEAPSPAN_ONCE heapspan_status stage_advance(heapspan_stage* stage, int32_t* done, heapspan_error* error) {
  return guard(error, [&] { *done = stage->advance() ? 0 : 1; });
}

HEAPSPAN_ONCE void stage_close(heapspan_stage* stage) { stage->close(); }

HEAPSPAN_ONCE void forget_broadcast(int64_t broadcast) { BroadcastCache::forget(broadcast); }

}  // namespace detail

HEAPSPAN_ONCE Pipeline<detail::TextScan> Context::text_file(std::string_view path, int32_t min_partitions) {
  const heapspan_driver& driver = session_->driver();
  int64_t handle = 0;
  detail::check(driver.text_file(driver.self, std::string(path).c_str(), min_partitions, &handle));
  return {plan("text_file", handle), {}};
}

HEAPSPAN_ONCE detail::Plan Context::plan(std::string_view name, int64_t handle) {
  detail::Plan plan;
  plan.session = session_;
  plan.operators = name;
  plan.nodes = {plan.node(handle)};
  return plan;
}

}  // namespace heapspan
