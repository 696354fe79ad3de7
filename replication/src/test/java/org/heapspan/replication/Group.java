package org.heapspan.replication;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.heapspan.exchange.peers.Consensus;
import org.heapspan.testing.Eventually;
import org.jspecify.annotations.Nullable;

/** Some peers of a consensus that agree on a list of texts, without servers around them. */
final class Group implements AutoCloseable {
    static final Duration ELECTION = Duration.ofMillis(100);

    private final Duration election;

    /** The kind of the message with which a newcomer asks. */
    private static final byte STANDING = 5;

    private final Path base;
    private final List<String> names;
    private final int changesOfSnapshot;
    private final List<@Nullable Peer> peers = new CopyOnWriteArrayList<>();
    private final ExecutorService threads = Executors.newCachedThreadPool();

    /** Texts whose proposal failed, and may have been agreed on nevertheless: these count once, however often they come. */
    private final Set<String> repeated = ConcurrentHashMap.newKeySet();

    /** Peers that hear nothing of Raft, but answer newcomers. */
    private final Set<Integer> deaf = ConcurrentHashMap.newKeySet();

    /** Peers find no memory for so many questions of newcomers. */
    final AtomicInteger outOfMemory = new AtomicInteger();

    Group(Path base, int count, int changesOfSnapshot) {
        this(base, count, changesOfSnapshot, ELECTION);
    }

    Group(Path base, int count, int changesOfSnapshot, Duration election) {
        this.base = base;
        this.election = election;
        this.changesOfSnapshot = changesOfSnapshot;
        names = IntStream.range(0, count).mapToObj(i -> "peer:" + (i + 1)).toList();
        for (int i = 0; i < count; i++) {
            peers.add(null);
        }
    }

    /** What one peer knows. */
    private final class Peer implements Consensus.State, Consensus.Calls {
        final List<String> texts = new ArrayList<>();
        volatile boolean leads;
        int loads;
        int saves;
        volatile boolean failsInSnapshots;

        @Nullable
        volatile Consensus consensus;

        @Override
        public synchronized boolean apply(long term, ByteBuffer change) {
            String text = StandardCharsets.UTF_8.decode(change).toString();
            if (!repeated.contains(text) || !texts.contains(text)) {
                texts.add(text);
            }
            return true;
        }

        synchronized List<String> texts() {
            return List.copyOf(texts);
        }

        synchronized int loads() {
            return loads;
        }

        synchronized int saves() {
            return saves;
        }

        @Override
        public synchronized void save(Path file) throws IOException {
            try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(file))) {
                out.writeInt(texts.size());
                saves++;
                if (failsInSnapshots) {
                    throw new IOException("the snapshot ends here");
                }
                for (String each : texts) {
                    out.writeUTF(each);
                }
            }
        }

        @Override
        public synchronized void load(Path file) throws IOException {
            texts.clear();
            loads++;
            try (DataInputStream in = new DataInputStream(Files.newInputStream(file))) {
                for (int left = in.readInt(); left > 0; left--) {
                    texts.add(in.readUTF());
                }
            }
        }

        @Override
        public void leads(boolean now) {
            leads = now;
        }

        @Override
        public byte[] call(int peer, byte[] message) throws IOException {
            if (message[0] == STANDING && outOfMemory.getAndDecrement() > 0) {
                throw new OutOfMemoryError("once");
            }
            Peer asked = peers.get(peer);
            Consensus answering = asked == null ? null : asked.consensus;
            if (answering == null
                    || message[0] != STANDING && (deaf.contains(peer) || deaf.contains(peers.indexOf(this)))) {
                throw new IOException("peer " + peer + " cannot be reached");
            }
            // Ratis waits for ever in a server that is being closed, as no caller over a network does.
            try {
                return CompletableFuture.supplyAsync(() -> answer(answering, message), threads)
                        .get(1, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted");
            } catch (ExecutionException | TimeoutException | RejectedExecutionException e) {
                throw new IOException(e);
            }
        }

        private static byte[] answer(Consensus answering, byte[] message) {
            try {
                return answering.answer(message);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    void start(int peer) throws IOException {
        Peer made = new Peer();
        peers.set(peer, made);
        made.consensus = new RatisFactory()
                .start(new Consensus.Settings(names, peer, ofRaft(peer), election, changesOfSnapshot), made, made);
    }

    private Path folder(int peer) throws IOException {
        return Files.createDirectories(base.resolve("peer-" + peer));
    }

    /** The folder that Ratis has. */
    Path ofRaft(int peer) throws IOException {
        return folder(peer).resolve("consensus");
    }

    /** Whether a peer that began with an empty folder votes by now. */
    boolean isMember(int peer) throws IOException {
        List<String> lines = Files.readAllLines(folder(peer).resolve("consensus.member"));
        return lines.get(0).equals("member");
    }

    /** Whether the log of a peer begins with its first changes still. */
    boolean hasFirstChanges(int peer) throws IOException {
        try (Stream<Path> files = Files.list(ofRaft(peer).resolve(id()).resolve("current"))) {
            return files.anyMatch(each -> each.getFileName().toString().matches("log_(0-.*|inprogress_0)"));
        }
    }

    /** What the folders of the group are called. */
    String id() {
        return UUID.nameUUIDFromBytes(String.join(",", names).getBytes(StandardCharsets.UTF_8))
                .toString();
    }

    void startAll() throws IOException {
        for (int i = 0; i < names.size(); i++) {
            start(i);
        }
    }

    /** Stops peers at the same time: each takes a second until its log is closed. */
    void stop(int... stopped) {
        List<CompletableFuture<Void>> closing = new ArrayList<>();
        for (int peer : stopped) {
            Peer each = peers.set(peer, null);
            if (each != null && each.consensus != null) {
                closing.add(CompletableFuture.runAsync(() -> close(each.consensus), threads));
            }
        }
        closing.forEach(CompletableFuture::join);
    }

    private static void close(Consensus consensus) {
        try {
            consensus.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The snapshots of a peer, in the order of their changes. */
    List<Path> snapshots(int peer) throws IOException {
        try (Stream<Path> files = Files.walk(folder(peer))) {
            return files.filter(each -> each.getFileName().toString().matches("snapshot\\.\\d+_\\d+"))
                    .sorted(Comparator.comparing(
                            each -> SimpleStateMachineStorage.getTermIndexFromSnapshotFile(each.toFile())))
                    .toList();
        }
    }

    /** Deletes everything that a stopped peer knows. */
    void deleteFolder(int peer) throws IOException {
        Files.walkFileTree(folder(peer), new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure) throws IOException {
                Files.delete(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }

    /** From now on a peer hears nothing of Raft, or hears again. */
    void setDeaf(int peer, boolean isDeaf) {
        if (isDeaf) {
            deaf.add(peer);
        } else {
            deaf.remove(peer);
        }
    }

    /** Until it is started again, a peer writes only a part of each snapshot, as one that is killed then, or whose disk is full. */
    void letSnapshotsFail(int peer) {
        peer(peer).failsInSnapshots = true;
    }

    private Peer peer(int number) {
        Peer peer = peers.get(number);
        if (peer == null) {
            throw new IllegalStateException("peer " + number + " was stopped");
        }
        return peer;
    }

    List<String> texts(int peer) {
        return peer(peer).texts();
    }

    /** How often a peer has begun with a snapshot. */
    int loads(int peer) {
        return peer(peer).loads();
    }

    /** How often a peer has begun to write a snapshot. */
    int saves(int peer) {
        return peer(peer).saves();
    }

    Consensus consensus(int peer) {
        Consensus consensus = peer(peer).consensus;
        if (consensus == null) {
            throw new IllegalStateException("peer " + peer + " is being started");
        }
        return consensus;
    }

    /** Whether a peer believes that it leads. */
    boolean leads(int peer) {
        return peer(peer).leads;
    }

    boolean hasLeader() {
        return peers.stream().anyMatch(each -> each != null && each.leads);
    }

    int leader() throws Exception {
        Eventually.holds("a peer leads", this::hasLeader);
        for (int i = 0; i < names.size(); i++) {
            Peer peer = peers.get(i);
            if (peer != null && peer.leads) {
                return i;
            }
        }
        return leader();
    }

    /** Proposes it to whoever leads, until it is confirmed once. */
    void add(String text) throws Exception {
        for (int attempt = 0; attempt < 200; attempt++) {
            try {
                consensus(leader())
                        .propose(text.getBytes(StandardCharsets.UTF_8))
                        .get(5, TimeUnit.SECONDS);
                return;
            } catch (ExecutionException | TimeoutException e) {
                repeated.add(text);
                TimeUnit.MILLISECONDS.sleep(20);
            }
        }
        throw new IllegalStateException("'" + text + "' was not confirmed");
    }

    /** Proposes many texts at once, and those again that a leader could not confirm. */
    void addAll(List<String> texts) throws Exception {
        Consensus leading = consensus(leader());
        List<CompletableFuture<Boolean>> added = new ArrayList<>();
        for (String each : texts) {
            added.add(leading.propose(each.getBytes(StandardCharsets.UTF_8)));
        }
        for (int i = 0; i < texts.size(); i++) {
            try {
                added.get(i).get(Eventually.MOST_SECONDS, TimeUnit.SECONDS);
            } catch (ExecutionException e) {
                repeated.add(texts.get(i));
                add(texts.get(i));
            }
        }
    }

    @Override
    public void close() {
        stop(IntStream.range(0, names.size()).toArray());
        threads.shutdownNow();
    }
}
