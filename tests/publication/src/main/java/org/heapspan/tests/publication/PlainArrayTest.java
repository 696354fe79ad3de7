package org.heapspan.tests.publication;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Expect;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A carved array through a field that publishes nothing. */
@JCStressTest
@Outcome(id = "-1", expect = Expect.ACCEPTABLE, desc = "not published yet")
@Outcome(id = "0", expect = Expect.ACCEPTABLE_INTERESTING, desc = "zeros, allowed without publication")
@Outcome(id = "1", expect = Expect.ACCEPTABLE, desc = "whole")
@Outcome(expect = Expect.FORBIDDEN, desc = "half-made")
@State
public class PlainArrayTest {
    Object published;

    /** Carves and publishes. */
    @Actor
    public void carve() {
        published = Carved.decode().array();
    }

    /** Reads. */
    @Actor
    public void read(I_Result result) {
        result.r1 = Carved.seenArray(published);
    }
}
