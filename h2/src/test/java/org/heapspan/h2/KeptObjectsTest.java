package org.heapspan.h2;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.Reference;
import java.lang.ref.SoftReference;
import java.lang.ref.WeakReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What is kept stays within its bytes, and gives them back once; {@link SharedObjectsTest} has the objects of a heap. */
@Tag("once")
final class KeptObjectsTest {
    @Test
    void whatTheCollectorTakesMakesRoom() {
        KeptObjects kept = new KeptObjects(100);
        Reference<Object> first = kept.referenceTo(new Object(), 60);
        assertThat(kept.referenceTo(new Object(), 60)).isInstanceOf(WeakReference.class);

        first.clear();
        first.enqueue();

        assertThat(kept.referenceTo(new Object(), 60)).isInstanceOf(SoftReference.class);
        assertThat(kept.bytes()).isEqualTo(60);
        kept.release(first);
        assertThat(kept.bytes()).as("released twice").isEqualTo(60);
    }
}
