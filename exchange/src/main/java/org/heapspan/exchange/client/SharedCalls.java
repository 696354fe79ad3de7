package org.heapspan.exchange.client;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.jspecify.annotations.Nullable;

/**
 * Questions of several threads that share a message. If a few threads wait for replies already, the next ones wait for one of these, and then one of them
 * asks for all of them. So the more a server is asked, the less it has to do for each call. A thread that is alone does not wait. Thread-safe.
 */
final class SharedCalls {
    /** So many threads ask at the same time before others wait for them. */
    private static final int MOST_ASKING = 2;

    private final Sender sender;
    private final ReentrantLock lock = new ReentrantLock();
    private final Deque<Call> waiting = new ArrayDeque<>();
    private int asking;

    /** Asks the server. */
    interface Sender {
        /** Asks with one message, and returns when it has the reply to each request. */
        Answered ask(List<Request> requests, Deadline deadline) throws IOException, RefusedException;

        /** Nobody waits any more for what a reply may give. */
        void giveBack(Answer answer);
    }

    /** Replies in the order of the requests, which no connection uses any more. */
    record Answered(ServerSession session, List<Reply> replies) {}

    /** The reply to one request, which may be a refusal. */
    record Answer(ServerSession session, Reply reply) {}

    private static final class Call {
        final Request request;
        final Condition changed;
        boolean asks;
        boolean ended;
        boolean abandoned;

        @Nullable
        Answer answer;

        Call(Request request, Condition changed) {
            this.request = request;
            this.changed = changed;
        }
    }

    SharedCalls(Sender sender) {
        this.sender = sender;
    }

    /**
     * Asks, alone or together with others.
     *
     * @return the answer, or null if another thread has asked, and has failed: for a reason of its own, perhaps
     */
    @Nullable
    Answer ask(Request request, Deadline deadline) throws IOException, RefusedException {
        Call call = new Call(request, lock.newCondition());
        List<Call> calls = begin(call, deadline);
        if (!calls.isEmpty()) {
            ask(calls, deadline);
        }
        return call.answer;
    }

    /** Returns what this thread must ask for, or nothing when another one has asked for it. */
    private List<Call> begin(Call call, Deadline deadline) throws IOException {
        lock.lock();
        try {
            if (asking < MOST_ASKING) {
                asking++;
                return List.of(call);
            }
            waiting.add(call);
            await(call, deadline);
            return call.ended ? List.of() : next(call);
        } finally {
            lock.unlock();
        }
    }

    /** Until its turn to ask has come, or another thread has the answer. Whoever gives up before is left out. */
    private void await(Call call, Deadline deadline) throws IOException {
        boolean interrupted = false;
        boolean late = false;
        while (!call.asks && !call.ended) {
            if (late || interrupted) {
                call.abandoned = !waiting.remove(call);
                if (interrupted) {
                    Thread.currentThread().interrupt();
                    throw new InterruptedIOException("the wait for a reply was interrupted");
                }
                throw new SocketTimeoutException("no connection was free within " + deadline.allowedMillis()
                        + " ms, and no other call has brought a reply");
            }
            try {
                late = !call.changed.await(deadline.remainingMillis(), TimeUnit.MILLISECONDS) && deadline.hasPassed();
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** One that was chosen asks for those that wait too. */
    private List<Call> next(Call chosen) {
        List<Call> calls = new ArrayList<>();
        calls.add(chosen);
        while (calls.size() < Request.Many.MOST_REQUESTS && !waiting.isEmpty()) {
            calls.add(waiting.remove());
        }
        return calls;
    }

    private void ask(List<Call> calls, Deadline deadline) throws IOException, RefusedException {
        @Nullable Answered answered = null;
        try {
            answered = sender.ask(calls.stream().map(call -> call.request).toList(), deadline);
        } finally {
            end(calls, answered);
        }
    }

    private void end(List<Call> calls, @Nullable Answered answered) {
        List<Answer> unwanted = new ArrayList<>();
        lock.lock();
        try {
            for (int i = 0; i < calls.size(); i++) {
                Call call = calls.get(i);
                call.ended = true;
                if (answered != null) {
                    call.answer = new Answer(answered.session, answered.replies.get(i));
                    if (call.abandoned) {
                        unwanted.add(call.answer);
                    }
                }
                call.changed.signal();
            }
            Call chosen = waiting.poll();
            if (chosen == null) {
                asking--;
            } else {
                chosen.asks = true;
                chosen.changed.signal();
            }
        } finally {
            lock.unlock();
        }
        unwanted.forEach(sender::giveBack);
    }
}
