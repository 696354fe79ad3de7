package org.heapspan.image.raw;

import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.image.codec.ReplacingCodec;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.CodecRegistry;
import org.heapspan.image.graph.ImageReader;
import org.heapspan.image.graph.TypeResolver;
import org.heapspan.image.memory.Access;
import org.heapspan.image.serialization.UpdatingCodec;
import org.heapspan.image.type.ClassFields;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.JdkClasses;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.image.type.TypeDescription.Kind;
import org.jspecify.annotations.Nullable;

/** Finds the reader's class for a class of a raw image, and maps the fields of one to those of the other. */
final class RawClassResolver {
    private RawClassResolver() {}

    /** Tells versions of a class apart, as different JVMs write them. */
    record Version(
            RawLayout layout, TypeDescription description, int instanceBytes, List<Integer> offsets, long relations) {}

    /**
     * Resolves a description.
     *
     * @throws HeapspanException if the class cannot be filled from such copies
     */
    static RawClass resolve(ImageReader reader, RawLayout layout, RawClassDescription described) {
        TypeDescription written = described.description();
        Class<?> type;
        try {
            type = reader.resolver.classNamed(written.name(), reader);
        } catch (HeapspanException e) {
            if (e.category() == Category.CLASS_NOT_FOUND) {
                return new RawClass.Missing(layout, described, e);
            }
            throw e;
        }
        var offsets = Arrays.stream(described.offsets()).boxed().toList();
        Version version = new Version(layout, written, described.instanceBytes(), offsets, described.relations());
        CodecRegistry registry = reader.resolver.registry();
        try {
            return registry.copied(type, version, () -> make(registry, layout, described, type));
        } catch (LinkageError e) {
            throw TypeResolver.unusable(type.getName(), e);
        }
    }

    private static RawClass carved(
            RawClass made, RawLayout layout, RawClassDescription described, @Nullable FieldAccess[] fields) {
        RawCarving.decide(made, layout, described, fields);
        return made;
    }

    private static RawClass make(
            CodecRegistry registry, RawLayout layout, RawClassDescription described, Class<?> type) {
        TypeDescription written = described.description();
        if ((written.kind() == Kind.OBJECT_ARRAY) != type.isArray()) {
            throw differs(registry, type, written, "an array class or not");
        }
        if (type.isArray()) {
            return carved(new RawClass.Array(layout, type), layout, described, new FieldAccess[0]);
        }
        if (type.isPrimitive() || type.isInterface() || Modifier.isAbstract(type.getModifiers())) {
            throw differs(registry, type, written, "a class without instances");
        }
        if (JdkClasses.contain(type)) {
            TypeDescription vetted = RawVetted.describe(type);
            if (vetted == null || !vetted.equals(written)) {
                throw differs(registry, type, written, "a class whose insides this release does not know in this JDK");
            }
            FieldAccess[] targets = ClassFields.targets(type, vetted);
            RawClass made = type == String.class
                    ? new RawStringClass(layout, described, targets)
                    : RawCodecGenerator.reader(layout, type, null, described, targets);
            return carved(made, layout, described, targets);
        }
        Codec local = registry.codecOf(type).copying();
        if (local instanceof ReplacingCodec replacing && replacing.form != null) {
            local = replacing.form;
        }
        TypeDescription here = local.description;
        if (here == null || here.kind() != Kind.FIELDS) {
            throw differs(
                    registry,
                    type,
                    written,
                    here == null ? "a class that travels in another form" : "of kind " + here.kind());
        }
        @Nullable FieldAccess[] targets = ClassFields.evolvedTargets(registry.mode, type, written);
        UpdatingCodec updating = local instanceof UpdatingCodec found ? found : null;
        Access.raw().ensureClassInitialized(type);
        RawClass made = RawCodecGenerator.reader(layout, type, updating, described, targets);
        return carved(made, layout, described, targets);
    }

    private static HeapspanException differs(
            CodecRegistry registry, Class<?> type, TypeDescription written, String here) {
        return new HeapspanException(
                Category.EVOLUTION,
                "class " + written.name() + " was copied from its heap as " + written.kind() + " and is " + here
                        + " here; use "
                        + (bridges(registry, type, written) ? "the compact encoding between these two, or " : "")
                        + "the same version on both sides");
    }

    /** Whether the compact encoding would read what the raw one cannot. */
    private static boolean bridges(CodecRegistry registry, Class<?> type, TypeDescription written) {
        try {
            TypeResolver.checkReadable(type, written);
            registry.evolved(type, written);
            return true;
        } catch (HeapspanException | LinkageError e) {
            return false;
        }
    }
}
