package org.heapspan.tests.conformance;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** {@code transient}: cleared in mode SERIAL, kept in mode CLONE. */
@SuppressWarnings({"unchecked", "serial"})
final class TransientCases {

    private TransientCases() {}

    static class Session implements Serializable {
        String user = "ada";
        transient int hits = 7;
        transient Object cache = new ArrayList<>(List.of("cached"));
        transient long when = -1;
        transient boolean open = true;
        transient double ratio = 0.5;
    }

    static final class SubSession extends Session {
        transient String note = "note";
        int kept = 3;
    }

    static final class TransientThread implements Serializable {
        transient Thread worker = new Thread(() -> {});
        String name = "holder";
    }

    static void addTo(CaseList cases) {
        cases.row("transient: SERIAL clears");
        cases.arrives("transient-serial-clears", SubSession::new, (SubSession received) -> {
            Check.equal("ada", received.user, "user");
            Check.equal(3, received.kept, "kept");
            Check.equal(0, received.hits, "hits");
            Check.same(null, received.cache, "cache");
            Check.equal(0L, received.when, "when");
            Check.equal(false, received.open, "open");
            Check.equal(0.0, received.ratio, "ratio");
            Check.same(null, received.note, "note");
        });
        cases.arrives("transient-serial-does-not-follow", TransientThread::new, (TransientThread received) -> {
            Check.equal("holder", received.name, "name");
            Check.same(null, received.worker, "worker");
        });
        cases.row("transient: CLONE keeps");
        cases.arrives("transient-clone-keeps", SubSession::new, (SubSession received) -> {
                    Check.equal("ada", received.user, "user");
                    Check.equal(7, received.hits, "hits");
                    Check.equal(List.of("cached"), received.cache, "cache");
                    Check.equal(-1L, received.when, "when");
                    Check.equal(true, received.open, "open");
                    Check.equal(0.5, received.ratio, "ratio");
                    Check.equal("note", received.note, "note");
                })
                .cloneMode()
                .note("Java serialization has no such mode");
        cases.arrives(
                        "transient-clone-shares-with-the-rest",
                        () -> {
                            Session session = new Session();
                            return new Object[] {session.cache, session};
                        },
                        (Object[] received) ->
                                Check.same(received[0], ((Session) received[1]).cache, "object reached both ways"))
                .cloneMode()
                .note("Java serialization has no such mode");
        cases.arrives(
                        "transient-clone-containers-work",
                        () -> {
                            Map<Object, Object> map = new HashMap<>();
                            map.put(HashContainerCases.Color.RED, new ArrayList<>(List.of(1, 2)));
                            map.put(new HashContainerCases.Shade(HashContainerCases.Color.BLUE, 2), "v");
                            return map;
                        },
                        (Map<Object, Object> received) -> {
                            Check.finds(
                                    received,
                                    HashContainerCases.Color.RED,
                                    List.of(1, 2),
                                    new HashContainerCases.Shade(HashContainerCases.Color.BLUE, 2),
                                    "v");
                            Check.canGrow((List<Object>) received.get(HashContainerCases.Color.RED), 3);
                        })
                .cloneMode();
        cases.refusedBySender(
                        "transient-clone-follows-to-refused",
                        () -> new Object[] {new TransientThread()},
                        "CLASS_REFUSED",
                        "root[0].worker",
                        "java.lang.Thread")
                .cloneMode();
    }
}
