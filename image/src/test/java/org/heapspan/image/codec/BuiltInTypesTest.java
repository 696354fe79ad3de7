package org.heapspan.image.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import java.util.stream.IntStream;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.graph.Codec;
import org.junit.jupiter.api.Test;

final class BuiltInTypesTest {
    /** Types of which a class is the first choice for no object: variants of another type, classes with many subclasses. */
    private static final Set<Integer> VARIANTS =
            Set.of(BuiltInTypes.COMPARED_TREE_MAP_TAG, BuiltInTypes.COMPARED_TREE_SET_TAG, BuiltInTypes.OWN_OBJECT_TAG);

    @Test
    void classesAndTagsAgree() {
        for (int tag = BuiltInTypes.STRING_TAG; tag < ImageFormat.TAG_FIRST_DESCRIBED_TYPE; tag++) {
            Codec codec = BuiltInTypes.codec(tag);
            if (codec != null) {
                assertThat(codec.builtInTag).isEqualTo(tag);
                assertThat(BuiltInTypes.codec(tag)).isSameAs(codec).isSameAs(BuiltInTypes.known(tag));
                if (!VARIANTS.contains(tag)) {
                    assertThat(BuiltInTypes.codecOf(codec.type))
                            .as("of %s", codec.type)
                            .isSameAs(codec);
                }
            }
        }
    }

    @Test
    void tagsFollowOneAnother() {
        int last = ImageFormat.TAG_LINK;
        assertThat(IntStream.rangeClosed(BuiltInTypes.STRING_TAG, last))
                .allMatch(tag -> BuiltInTypes.codec(tag) != null);
        assertThat(IntStream.of(-1, 0, 1, 2, 64, 100)).allMatch(tag -> BuiltInTypes.codec(tag) == null);
        assertThatThrownBy(() -> BuiltInTypes.known(0)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void otherClassesAreNotBuiltIn() {
        assertThat(BuiltInTypes.codecOf(Object.class)).isNull();
        assertThat(BuiltInTypes.codecOf(BuiltInTypesTest.class)).isNull();
    }
}
