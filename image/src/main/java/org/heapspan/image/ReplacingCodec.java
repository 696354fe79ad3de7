package org.heapspan.image;

import java.lang.invoke.MethodHandle;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.jspecify.annotations.Nullable;

/**
 * Classes with {@code writeReplace}: another object travels in place of theirs. On the reader's side the two share one index, so
 * that an object replaced once is one object there however often it is referred to.
 */
final class ReplacingCodec extends Codec {
    /** How objects travel for which {@code writeReplace} gives another of the same class; null if that cannot be. */
    final @Nullable Codec form;

    private final MethodHandle writeReplace;

    ReplacingCodec(Class<?> type, MethodHandle writeReplace, @Nullable Codec form) {
        super(type, null, BuiltInTypes.REPLACED_TAG, TRACKED | CALLS_USER_CODE | VARIES);
        this.writeReplace = writeReplace;
        this.form = form;
    }

    @Override
    Codec variant(ImageWriter writer, Object object) {
        Object replacement = replace(object);
        if (replacement != null && replacement.getClass() == type && form != null) {
            // As in Java serialization, an object of the same class is not replaced again.
            Codec inner = writer.registry.registered(form);
            return replacement == object ? inner : new Written(replacement, inner);
        }
        return new Written(replacement, null);
    }

    private @Nullable Object replace(Object object) {
        try {
            return writeReplace.invoke(object);
        } catch (Error e) {
            throw e;
        } catch (Throwable e) {
            throw new HeapspanException(Category.HOOK, "writeReplace of " + type.getName() + " failed: " + e, e);
        }
    }

    @Override
    void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
        throw new IllegalStateException("variant() comes first");
    }

    @Override
    Object allocate(ImageReader reader) {
        throw reader.malformed("a replaced object stands apart from its replacement");
    }

    @Override
    void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {}

    /** One object's replacement, between the call of {@code writeReplace} and its being written. */
    private static final class Written extends Codec {
        private final @Nullable Object replacement;
        private final @Nullable Codec form;

        Written(@Nullable Object replacement, @Nullable Codec form) {
            super(
                    Object.class,
                    form == null ? null : form.description,
                    form == null ? BuiltInTypes.REPLACED_TAG : form.builtInTag,
                    TRACKED | CALLS_USER_CODE);
            this.replacement = replacement;
            this.form = form;
            if (form != null) {
                serial = form.serial;
                stamp = form.stamp;
            }
        }

        @Override
        Codec described() {
            return form == null ? this : form;
        }

        @Override
        void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
            if (form != null && replacement != null) {
                form.write(writer, replacement, hint);
            } else {
                writer.writeSection(replacement);
            }
        }

        @Override
        Object allocate(ImageReader reader) {
            throw new IllegalStateException();
        }

        @Override
        void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {}
    }

    /** Reads what stands in place of an object. */
    static final class Reading extends Codec {
        Reading(int tag) {
            super(Reading.class, null, tag, TRACKED);
        }

        @Override
        void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
            throw new IllegalStateException();
        }

        @Override
        Object allocate(ImageReader reader) {
            throw reader.malformed("a replaced object stands apart from its replacement");
        }

        @Override
        void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {}

        @Override
        @Nullable
        Object read(ImageReader reader, @Nullable TypeHint hint) {
            int index = reader.reserveIndex();
            Object replacement = reader.readSection();
            if (replacement != null) {
                reader.setObject(index, replacement);
            }
            return replacement;
        }
    }
}
