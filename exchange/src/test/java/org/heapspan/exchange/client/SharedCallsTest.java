package org.heapspan.exchange.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.heapspan.exchange.transport.Deadline;
import org.heapspan.exchange.wire.Handshake;
import org.heapspan.exchange.wire.RefusalCode;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.heapspan.testing.Eventually;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(Eventually.TEST_SECONDS)
final class SharedCallsTest {
    private final List<Integer> sizes = Collections.synchronizedList(new ArrayList<>());
    private final List<Reply> givenBack = Collections.synchronizedList(new ArrayList<>());
    private final Semaphore replies = new Semaphore(0);
    private final ServerSession session;
    private volatile boolean fails;

    SharedCallsTest() throws IOException {
        session = new ServerSession(
                new byte[16], new Handshake.Welcome(new byte[32], new byte[16], "", 1 << 20, 60_000), false);
    }

    private final SharedCalls shared = new SharedCalls(new SharedCalls.Sender() {
        @Override
        public SharedCalls.Answered ask(List<Request> requests, Deadline deadline) throws IOException {
            sizes.add(requests.size());
            replies.acquireUninterruptibly();
            if (fails) {
                throw new IOException("the connection is lost");
            }
            return new SharedCalls.Answered(
                    session,
                    requests.stream()
                            .map(each ->
                                    (Reply) new Reply.Refusal(RefusalCode.KEY_MISSING, ((Request.StatKey) each).key()))
                            .toList());
        }

        @Override
        public void giveBack(SharedCalls.Answer answer) {
            givenBack.add(answer.reply());
        }
    });

    /** A thread that asks for a key. */
    private final class Asking {
        final CompletableFuture<SharedCalls.@Nullable Answer> answer = new CompletableFuture<>();
        final String key;
        final Thread thread;

        Asking(int number, Deadline deadline) throws Exception {
            key = "k" + number;
            thread = new Thread(
                    () -> {
                        try {
                            answer.complete(shared.ask(new Request.StatKey(key), deadline));
                        } catch (Exception e) {
                            answer.completeExceptionally(e);
                        }
                    },
                    "asking-" + number);
            thread.setDaemon(true);
            thread.start();
            Eventually.holds(
                    "it waits",
                    () -> thread.getState() == Thread.State.WAITING
                            || thread.getState() == Thread.State.TIMED_WAITING
                            || thread.getState() == Thread.State.TERMINATED);
        }

        void hasItsReply() throws Exception {
            SharedCalls.Answer found = answer.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
            assertThat(found).isNotNull();
            assertThat(found.reply()).isEqualTo(new Reply.Refusal(RefusalCode.KEY_MISSING, key));
        }
    }

    private List<Asking> ask(int count) throws Exception {
        List<Asking> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(new Asking(i, Deadline.afterMillis(Eventually.MOST_MILLIS)));
        }
        return all;
    }

    @Test
    void whoFindsOthersAskingSharesAMessage() throws Exception {
        List<Asking> all = ask(8);
        assertThat(sizes).containsExactly(1, 1);
        replies.release(1);
        Eventually.holds("one asks for those that wait", () -> sizes.size() == 3);
        replies.release(2);
        for (Asking each : all) {
            each.hasItsReply();
        }
        assertThat(sizes).containsExactly(1, 1, 6);
        // Nobody is left who would ask for others.
        replies.release(1);
        new Asking(9, Deadline.afterMillis(Eventually.MOST_MILLIS)).hasItsReply();
        assertThat(sizes).containsExactly(1, 1, 6, 1);
    }

    @Test
    void aMessageHasRoomForSomeOnly() throws Exception {
        List<Asking> all = ask(2 + Request.Many.MOST_REQUESTS + 3);
        for (int messages = 3; messages <= 4; messages++) {
            int expected = messages;
            replies.release(1);
            Eventually.holds("one asks for those that wait", () -> sizes.size() == expected);
        }
        replies.release(2);
        for (Asking each : all) {
            each.hasItsReply();
        }
        assertThat(sizes).containsExactly(1, 1, Request.Many.MOST_REQUESTS, 3);
    }

    /** The reason may be one of the thread that has asked. */
    @Test
    void whoseMessageHasFailedAsksAlone() throws Exception {
        List<Asking> all = ask(5);
        replies.release(1);
        Eventually.holds("one asks for three", () -> sizes.size() == 3);
        replies.release(1);
        all.get(0).hasItsReply();
        all.get(1).hasItsReply();
        fails = true;
        replies.release(1);
        int failed = 0;
        for (Asking each : all.subList(2, 5)) {
            try {
                assertThat(each.answer.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS))
                        .isNull();
            } catch (ExecutionException e) {
                assertThat(e).hasCauseInstanceOf(IOException.class);
                failed++;
            }
        }
        assertThat(failed).isEqualTo(1);
    }

    @Test
    void whoWaitsTooLongOrIsInterruptedIsLeftOut() throws Exception {
        List<Asking> all = ask(2);
        Asking impatient = new Asking(2, Deadline.afterMillis(1));
        Asking interrupted = new Asking(3, Deadline.afterMillis(Eventually.MOST_MILLIS));
        assertThatThrownBy(() -> impatient.answer.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS))
                .hasCauseInstanceOf(SocketTimeoutException.class);
        interrupted.thread.interrupt();
        assertThatThrownBy(() -> interrupted.answer.get(Eventually.MOST_SECONDS, TimeUnit.SECONDS))
                .hasCauseInstanceOf(InterruptedIOException.class);
        Asking patient = new Asking(4, Deadline.afterMillis(Eventually.MOST_MILLIS));
        replies.release(3);
        patient.hasItsReply();
        all.get(0).hasItsReply();
        all.get(1).hasItsReply();
        assertThat(sizes).containsExactly(1, 1, 1);
        assertThat(givenBack).isEmpty();
    }

    /** What a reply gives to a thread that has gone is given back. */
    @Test
    void whatNobodyWaitsForIsGivenBack() throws Exception {
        List<Asking> all = ask(4);
        replies.release(1);
        Eventually.holds("one asks for two", () -> sizes.size() == 3);
        for (Asking each : all.subList(2, 4)) {
            each.thread.interrupt();
        }
        // The one that asks has not looked at its interrupt.
        Eventually.holds(
                "the other one has gone",
                () -> all.get(2).answer.isDone() || all.get(3).answer.isDone());
        replies.release(2);
        Eventually.holds("what it was given is given back", () -> givenBack.size() == 1);
        Asking gone = all.get(2).answer.isCompletedExceptionally() ? all.get(2) : all.get(3);
        assertThat(givenBack).containsExactly(new Reply.Refusal(RefusalCode.KEY_MISSING, gone.key));
    }
}
