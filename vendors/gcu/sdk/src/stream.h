// Streams and events.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "standin.h"

namespace tops_standin {

// A point in a stream's work.
struct Marker {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  uint64_t nanoseconds = 0;
  std::weak_ptr<Stream> stream;

  void finish();
  bool is_done();
  void wait();
};

struct Item {
  Work kind = Work::other;
  std::string name;
  std::function<topsError_t()> work;
};

// The recorded work of a capture.
struct Graph {
  std::vector<Item> items;
};

class Stream : public std::enable_shared_from_this<Stream> {
 public:
  Stream(int device, unsigned flags) : device_(device), flags_(flags) {}

  int device() const { return device_; }
  bool blocking() const { return (flags_ & topsStreamNonBlocking) == 0; }

  void submit(Item item);
  // Asks for the kernels that wait for a synchronisation, after the work submitted so far.
  void flush();
  bool idle();
  // The first error that work left, once.
  topsError_t take_error();
  // Waits for what was submitted so far.
  topsError_t drain();
  // Ends the thread when its work is done.
  void close();

  // Capture: what is submitted goes into the graph. Null ends it.
  void capture(std::shared_ptr<Graph> graph);
  std::shared_ptr<Graph> captured();

 private:
  void loop();
  void run(Item& item);
  void run_waiting();
  void start_locked();

  const int device_;
  const unsigned flags_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> queue_;
  std::vector<Item> waiting_;  // kernels, and the events behind them; the worker's alone
  uint64_t submitted_ = 0;     // requests to flush included
  uint64_t taken_ = 0;         // by the worker: run, or put into waiting_
  uint64_t unfinished_ = 0;    // work that has not run
  bool started_ = false;
  bool closing_ = false;
  topsError_t error_ = topsSuccess;
  std::shared_ptr<Graph> graph_;
};

// The default stream of a device.
std::shared_ptr<Stream> default_stream(int device);
// Puts a marker behind what the stream has.
std::shared_ptr<Marker> mark(const std::shared_ptr<Stream>& stream);
// Waits for all streams of a device.
topsError_t drain_device(int device);

}  // namespace tops_standin
