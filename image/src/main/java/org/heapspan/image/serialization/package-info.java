/**
 * Codecs that follow Java's serialization: fields, hooks such as {@code writeObject}, records, proxies, {@code Externalizable}.
 *
 * <p>Entry points: {@link FieldCodec} (fields only), {@link HookCodec} (hooks of user classes), {@link StreamedCodec} (hooks of the JDK's classes).
 *
 * <p>Invariants: hooks run as often and in the same order as with Java's object streams. Fields that the reader's class lacks are dropped.
 *
 * <p>Tests: {@code HookProtocolTest}, {@code ObjectDismantlerTest}, {@code EvolutionTest}, {@code RegisterUpdateTest}.
 */
@NullMarked
package org.heapspan.image.serialization;

import org.jspecify.annotations.NullMarked;
