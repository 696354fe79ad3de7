package org.heapspan.image.codec;

import java.lang.invoke.MethodHandle;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.format.ImageFormat;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.ImageWriter;
import org.heapspan.image.graph.TypeHint;
import org.jspecify.annotations.Nullable;

/**
 * Classes with {@code writeReplace}: another object travels in place of theirs. On the reader's side the two share one index, so
 * that an object replaced once is one object there however often it is referred to.
 */
public final class ReplacingCodec extends Codec {
    /** How objects travel for which {@code writeReplace} gives another of the same class; null if that cannot be. */
    public final @Nullable Codec form;

    private final MethodHandle writeReplace;

    public ReplacingCodec(Class<?> type, MethodHandle writeReplace, @Nullable Codec form) {
        super(type, null, ImageFormat.TAG_REPLACED, TRACKED | CALLS_USER_CODE | VARIES);
        this.writeReplace = writeReplace;
        this.form = form;
    }

    @Override
    public Codec variant(ImageWriter writer, Object object) {
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
    public void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
        throw new IllegalStateException("variant() comes first");
    }

    @Override
    public Object allocate(ImageReader reader) {
        throw reader.malformed("a replaced object is deferred, but cannot be deferred");
    }

    @Override
    public void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {}

    /** One object's replacement, between the call of {@code writeReplace} and its being written. */
    private static final class Written extends Codec {
        private final @Nullable Object replacement;
        private final @Nullable Codec form;

        Written(@Nullable Object replacement, @Nullable Codec form) {
            super(
                    Object.class,
                    form == null ? null : form.description,
                    form == null ? ImageFormat.TAG_REPLACED : form.builtInTag,
                    TRACKED | CALLS_USER_CODE);
            this.replacement = replacement;
            this.form = form;
            if (form != null) {
                serial = form.serial;
                stamp = form.stamp;
            }
        }

        @Override
        public Codec described() {
            return form == null ? this : form;
        }

        @Override
        public void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
            if (form != null && replacement != null) {
                form.write(writer, replacement, hint);
            } else {
                writer.writeSection(replacement);
            }
        }

        @Override
        public Object allocate(ImageReader reader) {
            throw new IllegalStateException();
        }

        @Override
        public void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {}
    }

    /** Reads what stands in place of an object. */
    public static final class Reading extends Codec {
        public Reading(int tag) {
            super(Reading.class, null, tag, TRACKED);
        }

        @Override
        public void writeBody(ImageWriter writer, Object object, @Nullable TypeHint hint) {
            throw new IllegalStateException();
        }

        @Override
        public Object allocate(ImageReader reader) {
            throw reader.malformed("a replaced object is deferred, but cannot be deferred");
        }

        @Override
        public void readBody(ImageReader reader, Object object, @Nullable TypeHint hint) {}

        @Override
        @Nullable
        public Object read(ImageReader reader, @Nullable TypeHint hint) {
            int index = reader.reserveIndex();
            Object replacement = reader.readSection();
            reader.setObject(index, replacement);
            return replacement;
        }
    }
}
