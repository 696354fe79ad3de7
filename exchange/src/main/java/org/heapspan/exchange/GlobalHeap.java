package org.heapspan.exchange;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.heapspan.TypeRegistry;
import org.heapspan.exchange.client.CommitTerms;
import org.heapspan.exchange.client.ExchangeClient;
import org.heapspan.exchange.client.ImageBytes;
import org.heapspan.exchange.client.Lease;
import org.heapspan.exchange.transport.Endpoint;
import org.heapspan.exchange.wire.KeyDescription;
import org.heapspan.exchange.wire.RefusedException;
import org.heapspan.exchange.wire.Reply;
import org.heapspan.exchange.wire.Request;
import org.jspecify.annotations.Nullable;

/**
 * Objects that JVMs share, by key (HotCloud'16) or by address (ZCOT section 3). A client of one {@link ExchangeServer}.
 *
 * <pre>{@code
 * try (GlobalHeap heap = GlobalHeap.connect("heapspan://host:7077")) {
 *     heap.put("model/v3", model);
 *     Model same = heap.get("model/v3", Model.class);
 * }
 * }</pre>
 *
 * <p>An object that was put never changes. Each {@code get} makes a copy that belongs to the caller, except for {@linkplain #share shared values} in
 * it: they must not be changed. A key lives until it is removed, or the server ends and does not keep its keys. It outlives the JVM that has put it. On
 * the host of the server, and for the same user, bytes are read from shared memory. Elsewhere they are fetched.
 *
 * <p>A key has 1 to 1,024 bytes of UTF-8. Methods throw {@link IllegalArgumentException} if a key is empty or too long, or has half of a surrogate
 * pair.
 *
 * <p>Compact images are decoded as untrusted bytes, see {@code SECURITY.md}: set an allow-list or a filter by {@link GlobalHeapOptions#withHeapspan}. A
 * client that has a secret and shares memory with the server also reads raw images. It trusts them: allow-list and filter do not apply to them.
 *
 * <p>Failures are an {@link ExchangeException}, and no call waits without a limit. If the thread is interrupted, a call to the server fails with
 * UNREACHABLE, and the thread stays interrupted. Thread-safe.
 */
public final class GlobalHeap implements AutoCloseable {
    private static final int MOST_KEY_BYTES = 1024;

    private final HeapAccess access;

    private GlobalHeap(HeapAccess access) {
        this.access = access;
    }

    /**
     * Connects to a server.
     *
     * @param url {@code heapspan://HOST:PORT}
     * @return the heap
     * @throws ExchangeException if the server cannot be reached, or refuses
     * @throws IllegalArgumentException if the URL is not valid, or a system property in {@code docs/configuration.md} is invalid
     */
    public static GlobalHeap connect(String url) {
        return connect(url, GlobalHeapOptions.defaults());
    }

    /**
     * Connects to a server.
     *
     * @param url {@code heapspan://HOST:PORT}, or {@code heapspan://HOST:PORT,HOST:PORT,HOST:PORT} for servers that replicate their keys
     * @param options for this client
     * @return the heap
     * @throws ExchangeException if the server cannot be reached, or refuses
     * @throws IllegalArgumentException if the URL is not valid
     */
    public static GlobalHeap connect(String url, GlobalHeapOptions options) {
        List<Endpoint> servers = Endpoint.parseAll(url);
        String action = "connecting to " + url;
        try {
            return new GlobalHeap(new HeapAccess(new ExchangeClient(options.settings(servers)), options));
        } catch (RefusedException e) {
            throw ExchangeException.of(action, e);
        } catch (IOException e) {
            throw ExchangeException.of(action, e);
        }
    }

    /** For the streams of this package. */
    HeapAccess access() {
        return access;
    }

    static void checkKey(String key) {
        if (key.isEmpty()) {
            throw new IllegalArgumentException("the key is empty, expected 1 to 1,024 bytes of UTF-8");
        }
        checkLength(key);
    }

    static void checkVersion(long version) {
        if (version < 1) {
            throw new IllegalArgumentException("the version is " + version + ", expected 1 or more");
        }
    }

    private static void checkLength(String key) {
        int length = key.getBytes(StandardCharsets.UTF_8).length;
        if (length > MOST_KEY_BYTES) {
            throw new IllegalArgumentException(
                    "the key has " + length + " bytes of UTF-8, expected at most " + MOST_KEY_BYTES);
        }
        checkPairs(key);
    }

    /** UTF-8 has no half of a pair: all keys that differ in such halves only would be the same one for the server. */
    private static void checkPairs(String key) {
        for (int i = 0; i < key.length(); i++) {
            if (Character.isSurrogate(key.charAt(i))) {
                if (!Character.isSupplementaryCodePoint(key.codePointAt(i))) {
                    throw new IllegalArgumentException("character " + i + " of the key is half of a surrogate pair");
                }
                i++;
            }
        }
    }

    // Keys

    /**
     * Stores an object under a new key: reserves space, populates it, commits it.
     *
     * @param key 1 to 1,024 bytes of UTF-8 without control characters
     * @param value the object, or null
     * @return the version of the key, 1
     * @throws ExchangeException among others if the key has been committed (KEY_EXISTS) or memory is used up (FULL). After UNREACHABLE, NOT_LEADER or
     *     DEADLINE the object may be stored: see {@link #find}
     * @throws org.heapspan.HeapspanException if the object cannot be encoded
     */
    public long put(String key, @Nullable Object value) {
        return put(key, value, List.of());
    }

    /**
     * Stores an object under a new key, whose readers need other groups too. They live as long as the group of the key, and keepers on other hosts
     * fetch them with it (ZCOT section 4.2). A server that keeps its keys does not accept this.
     *
     * @param key as for {@link #put(String, Object)}
     * @param value the object, or null
     * @param needed open handles of these groups, at most 1,000; they may be closed afterwards
     * @return the version of the key, 1
     * @throws ExchangeException as {@link #put(String, Object)}, and if a group is gone (GROUP_GONE), there are more than 1,000, or the server keeps its
     *     keys (LIMIT)
     */
    public long put(String key, @Nullable Object value, Collection<? extends GroupHandle<?>> needed) {
        return store("put of key '" + key + "'", key, value, 0, needed);
    }

    /**
     * Stores another object under a key. Who reads the former one keeps it. If a key is removed and put again, its version is 1 again. So do not remove
     * keys that several programs replace.
     *
     * @param key a committed key
     * @param value the object, or null
     * @param version the version that is replaced; if the key has another one, nothing happens
     * @return the new version
     * @throws ExchangeException as {@link #put}, and if the key has another version (OTHER_VERSION)
     * @throws IllegalArgumentException if the version is below 1
     */
    public long replace(String key, @Nullable Object value, long version) {
        checkVersion(version);
        return store("replacement of key '" + key + "'", key, value, version, List.of());
    }

    private long store(
            String action,
            String key,
            @Nullable Object value,
            long replacedVersion,
            Collection<? extends GroupHandle<?>> needed) {
        checkKey(key);
        return access.write(action, value, new HeapAccess.Target(key, replacedVersion, false), needed)
                .stored()
                .version();
    }

    /**
     * Reads the object of a key. If the key is not committed yet, waits for it up to {@link GlobalHeapOptions#deadline}.
     *
     * @param key the key
     * @param type class of the object
     * @param <T> class of the object
     * @return a copy that belongs to the caller, except for {@linkplain #share shared values} in it; null if null was put
     * @throws ExchangeException among others if the key is not committed in time (KEY_MISSING), or the object is too long for this JVM (LIMIT)
     * @throws org.heapspan.HeapspanException if the image is not accepted, or holds an object of another class
     */
    public <T> @Nullable T get(String key, Class<T> type) {
        return get(key, type, access.options().deadline());
    }

    /**
     * Reads the object of a key, with a deadline of its own.
     *
     * @param key the key
     * @param type class of the object
     * @param wait how long to wait for the commit; zero or negative: the key must be there; more than a year is a year
     * @param <T> class of the object
     * @return a copy that belongs to the caller, except for {@linkplain #share shared values} in it; null if null was put
     * @throws ExchangeException as {@link #get(String, Class)}
     */
    public <T> @Nullable T get(String key, Class<T> type, Duration wait) {
        checkKey(key);
        return access.repeat(() -> access.get("get of key '" + key + "'", key, wait, type));
    }

    /**
     * Stores an image that exists already, without looking into it. Who reads the key finds out what it is.
     *
     * @param key a new key, as for {@link #put}
     * @param image a compact image, as {@link org.heapspan.Heapspan#encode(Object)} writes it, without references to shared values; read to its end,
     *     not closed
     * @param typeName class of its root, for {@link KeyInfo}; may be empty
     * @return the version of the key, 1
     * @throws IOException if the image cannot be read
     * @throws ExchangeException as {@link #put}
     */
    public long putImage(String key, InputStream image, String typeName) throws IOException {
        checkKey(key);
        String action = "put of key '" + key + "'";
        ImageBytes bytes = new ImageBytes();
        image.transferTo(bytes);
        return access.storeImage(action, key, bytes, typeName).version();
    }

    /**
     * Stores an image whose length is known, as {@link #putImage(String, InputStream, String)}. It is written as it is read, so it may be longer than
     * the heap of this JVM.
     *
     * @param key a new key, as for {@link #put(String, Object)}
     * @param image a compact image; not closed
     * @param typeName class of its root; may be empty
     * @param sizeBytes its length, positive
     * @return the version of the key, 1
     * @throws IOException if the image cannot be read, or has another length
     * @throws ExchangeException as {@link #put(String, Object)}
     * @throws IllegalArgumentException if the length is not positive
     */
    public long putImage(String key, InputStream image, String typeName, long sizeBytes) throws IOException {
        checkKey(key);
        if (sizeBytes <= 0) {
            throw new IllegalArgumentException("an image has " + sizeBytes + " bytes, expected a positive number");
        }
        CommitTerms terms = new CommitTerms(false, false, key, 0, HeapAccess.shortened(typeName));
        return access.store("put of key '" + key + "'", new ImageStream(image, sizeBytes), terms)
                .version();
    }

    /**
     * Copies the image of a key, without decoding it. If it refers to shared values, they are not in the copy, and nobody can decode it alone. Raw
     * images are copied as they are.
     *
     * @param key a committed key
     * @param target takes the image; not closed. If this fails, it may have taken a part
     * @return bytes
     * @throws IOException if the target fails
     * @throws ExchangeException as {@link #get(String, Class)}
     */
    public long copyImage(String key, OutputStream target) throws IOException {
        checkKey(key);
        String action = "copy of key '" + key + "'";
        Lease lease = access.locate(action, key, access.options().deadline());
        ImageCopy copy = new ImageCopy(target);
        try {
            access.run(action, () -> {
                access.client().copy(lease, copy);
                return true;
            });
        } catch (ImageCopy.TargetException e) {
            throw e.failure();
        } finally {
            access.client().release(lease);
        }
        return lease.group().sizeBytes();
    }

    /**
     * Leases the object of a key: it can be read until it is released, even if its key is removed (HotCloud'16: {@code GHeap.get}).
     *
     * @param key the key
     * @param type class of the object
     * @param <T> class of the object
     * @return the object in the global heap; release it
     * @throws ExchangeException as {@link #get(String, Class)}
     */
    public <T> GObject<T> open(String key, Class<T> type) {
        checkKey(key);
        Lease lease = access.locate(
                "opening of key '" + key + "'", key, access.options().deadline());
        return GObject.opened(access, key, lease, type);
    }

    /**
     * Reserves space for an object: the first of three stages (HotCloud'16). Nobody sees the object before {@link GObject#commit}.
     *
     * @param key the key that will be committed
     * @param sizeHintBytes about the length of its image, positive; if it is too small, more is reserved when it is committed
     * @param <T> class of the object
     * @return the object to be; release it
     * @throws ExchangeException among others if memory is used up (FULL)
     */
    public <T> GObject<T> reserve(String key, long sizeHintBytes) {
        checkKey(key);
        return GObject.reserved(access, key, access.reserve("reservation for key '" + key + "'", sizeHintBytes));
    }

    /**
     * Removes a key. Who reads its object keeps it.
     *
     * @param key the key
     * @return false if there was none
     * @throws ExchangeException if the server cannot be reached
     */
    public boolean remove(String key) {
        checkKey(key);
        try {
            access.call("removal of key '" + key + "'", new Request.Remove(key, 0), Reply.Done.class);
            return true;
        } catch (ExchangeException e) {
            if (e.reason() == ExchangeException.Reason.KEY_MISSING) {
                return false;
            }
            throw e;
        }
    }

    /**
     * Returns what the server knows of a key.
     *
     * @param key the key
     * @return empty if it is not committed
     * @throws ExchangeException if the server cannot be reached
     */
    public Optional<KeyInfo> find(String key) {
        checkKey(key);
        return access.call("look-up of key '" + key + "'", new Request.StatKey(key), Reply.Keys.class).keys().stream()
                .map(KeyInfo::of)
                .findFirst();
    }

    /**
     * Lists keys in alphabetical order. Keys that are added or removed meanwhile may be missing or listed.
     *
     * @param prefix that they begin with; empty for all
     * @return the keys
     * @throws ExchangeException if the server cannot be reached
     */
    public List<KeyInfo> list(String prefix) {
        checkLength(prefix);
        List<KeyInfo> all = new ArrayList<>();
        Reply.Keys next;
        String after = "";
        do {
            next = access.call("list of keys", new Request.ListKeys(prefix, after), Reply.Keys.class);
            for (KeyDescription key : next.keys()) {
                if (!all.isEmpty() && key.key().compareTo(after) <= 0) {
                    throw ExchangeException.of(
                            ExchangeException.Reason.PROTOCOL,
                            "list of keys",
                            "the server does not list them in order");
                }
                all.add(KeyInfo.of(key));
                after = key.key();
            }
        } while (next.more() && !next.keys().isEmpty());
        return all;
    }

    // Addresses

    /**
     * Publishes an object without a key, as a group with an address (ZCOT section 4.1).
     *
     * @param value the object, or null
     * @param <T> class of the object
     * @return keeps the group; close it when no reader needs the address any more
     * @throws ExchangeException among others if memory is used up (FULL)
     * @throws org.heapspan.HeapspanException if the object cannot be encoded
     */
    public <T> GroupHandle<T> publish(@Nullable T value) {
        return publish(value, List.of());
    }

    /**
     * Publishes an object without a key, whose readers need other groups too: see {@link #put(String, Object, Collection)}.
     *
     * @param value the object, or null
     * @param needed open handles of these groups, at most 1,000; they may be closed afterwards
     * @param <T> class of the object
     * @return keeps the group, and those that it needs
     * @throws ExchangeException as {@link #publish(Object)}, and if a group is gone (GROUP_GONE), or there are more than 1,000 (LIMIT)
     */
    public <T> GroupHandle<T> publish(@Nullable T value, Collection<? extends GroupHandle<?>> needed) {
        return new GroupHandle<>(access, access.publish("publication", value, needed));
    }

    /**
     * Reads the object at an address.
     *
     * @param address of a group: {@link GroupHandle#address}
     * @param type class of the object
     * @param <T> class of the object
     * @return a copy that belongs to the caller, except for {@linkplain #share shared values} in it; null if null was published
     * @throws ExchangeException among others if no group is there any more (GROUP_GONE), or the object is too long for this JVM (LIMIT)
     */
    public <T> @Nullable T at(long address, Class<T> type) {
        String action = "read at address 0x" + Long.toHexString(address);
        Lease lease = access.locate(action, address);
        try {
            return access.read(action, lease, type);
        } finally {
            access.client().release(lease);
        }
    }

    /**
     * Keeps the group at an address: a further handle, after which the first may be closed.
     *
     * @param address of a group
     * @param <T> class of the object
     * @return keeps the group; close it
     * @throws ExchangeException among others if no group is there any more (GROUP_GONE)
     */
    public <T> GroupHandle<T> lease(long address) {
        return new GroupHandle<>(access, access.locate("lease of address 0x" + Long.toHexString(address), address));
    }

    // Shared values

    /**
     * Publishes values once, so that objects that this heap stores later refer to them, and hold no copies (ZCOT section 5). A value in an object is
     * replaced if it {@link Object#equals equals} a shared one and has the same class. Readers need nothing for this. A reader gets the same object for
     * each reference to a shared value, in all objects that it reads, as long as its memory suffices.
     *
     * <p>Objects hold copies in these cases: with {@link #reserve}, raw images and {@link #putImage}; with keys at a server that keeps its keys; after
     * the server was started again.
     *
     * @param values 1 to 65,536 different values. They must not change, and readers must not change them
     * @return close it when later objects should have copies again
     * @throws ExchangeException among others if memory is used up (FULL), or 48 collections of values are shared already (LIMIT)
     * @throws org.heapspan.HeapspanException if the values cannot be encoded
     * @throws IllegalArgumentException if there are no values, or too many
     * @throws NullPointerException if a value is null
     */
    public SharedValues share(Collection<?> values) {
        return new SharedValues(access.sharing(), access.sharing().declare(values));
    }

    /**
     * Returns what sharing of values has spared: those of {@link #share}, and those of {@link GlobalHeapOptions#withDeduplication}.
     *
     * @return a snapshot
     */
    public DeduplicationStatistics deduplication() {
        return access.sharing().statistics();
    }

    // Types

    /**
     * Returns the type registry of the server, for images that programs send to each other on ways of their own ({@link
     * org.heapspan.HeapspanBuilder#typeRegistry}). All clients of a server and of its keepers have the same one. A server that is started again has
     * another one, so such images must not be kept. If the server does not answer, images describe new types.
     *
     * @return the registry; it must not be used after this heap is closed
     * @throws ExchangeException if the server cannot be reached
     */
    public TypeRegistry typeRegistry() {
        return new ServerTypes(access);
    }

    // The whole

    /**
     * Returns what the server has now.
     *
     * @return a snapshot
     * @throws ExchangeException if the server cannot be reached
     */
    public ServerStatus status() {
        return ServerStatus.of(access.call("status", new Request.AskStatus(), Reply.Status.class));
    }

    /**
     * Says whether this client reads and writes the files of the server directly, because it is on the same host and runs for the same user.
     *
     * @return true if it does
     */
    public boolean sharesMemory() {
        return access.client().mapsFiles();
    }

    /**
     * Ends the session: handles and objects that were opened are given back. Keys stay. Waits for threads that read objects in shared memory, for the
     * time of {@link GlobalHeapOptions#timeout} at most. If they need longer, the server gives back what was opened after the time of {@link
     * ExchangeServerOptions#withLease}.
     */
    @Override
    public void close() {
        access.client().close();
    }
}
