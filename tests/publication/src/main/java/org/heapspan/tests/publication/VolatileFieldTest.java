package org.heapspan.tests.publication;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A carved object through a volatile field. */
@JCStressTest
@Outcome(id = "-1", expect = Expect.ACCEPTABLE, desc = "not published yet")
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "whole")
@Outcome(expect = Expect.FORBIDDEN, desc = "half-made")
@State
public class VolatileFieldTest {
    volatile Carved published;

    /** Carves and publishes. */
    @Actor
    public void carve() {
        published = Carved.decode();
    }

    /** Reads. */
    @Actor
    public void read(I_Result result) {
        result.r1 = Carved.seen(published);
    }
}
