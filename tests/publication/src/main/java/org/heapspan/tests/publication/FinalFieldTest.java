package org.heapspan.tests.publication;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A carved object through the final field of an object that is itself published without care. */
@JCStressTest
@Outcome(id = "-1", expect = Expect.ACCEPTABLE, desc = "not published yet")
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "whole")
@Outcome(expect = Expect.FORBIDDEN, desc = "half-made")
@State
public class FinalFieldTest {
    /** Freezes what it holds. */
    static final class Holder {
        final Carved carved;

        Holder(Carved carved) {
            this.carved = carved;
        }
    }

    Holder published;

    /** Carves and publishes. */
    @Actor
    public void carve() {
        published = new Holder(Carved.decode());
    }

    /** Reads. */
    @Actor
    public void read(I_Result result) {
        Holder holder = published;
        result.r1 = holder == null ? Carved.ABSENT : Carved.seen(holder.carved);
    }
}
