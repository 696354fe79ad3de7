package org.heapspan.image.policy;

import java.io.Serializable;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.Mode;
import org.heapspan.image.codec.BuiltInTypes;
import org.heapspan.image.codec.EnumCodec;
import org.heapspan.image.codec.ObjectArrayCodec;
import org.heapspan.image.codec.ReplacingCodec;
import org.heapspan.image.codec.ScalaCodecs;
import org.heapspan.image.codec.SubstituteCodec;
import org.heapspan.image.generator.CodecGenerator;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.graph.CodecRegistry;
import org.heapspan.image.graph.LeafCodec;
import org.heapspan.image.memory.Access;
import org.heapspan.image.serialization.DerivedCodec;
import org.heapspan.image.serialization.ExternalCodec;
import org.heapspan.image.serialization.FieldCodec;
import org.heapspan.image.serialization.HookCodec;
import org.heapspan.image.serialization.LinkingCodec;
import org.heapspan.image.serialization.ProxyCodec;
import org.heapspan.image.serialization.StreamedCodec;
import org.heapspan.image.serialization.UpdatingCodec;
import org.heapspan.image.type.ClassFields;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.JdkClasses;
import org.heapspan.image.type.PlainClasses;
import org.heapspan.image.type.RefusedClass;
import org.heapspan.image.type.SerializationMethods;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.image.type.TypeDescription.Kind;
import org.jspecify.annotations.Nullable;

/** Decides once for each class, at first sight, how its objects travel; {@code docs/fidelity.md} is the policy in words. */
final class ClassPolicy {
    private ClassPolicy() {}

    /** Classes whose objects mean nothing elsewhere, with their subclasses. */
    private static final Class<?>[] REFUSED_WITH_SUBCLASSES = {
        Thread.class,
        ThreadGroup.class,
        ThreadLocal.class,
        ClassLoader.class,
        Module.class,
        ModuleLayer.class,
        java.lang.invoke.MethodHandle.class,
        java.lang.invoke.VarHandle.class,
        java.lang.invoke.CallSite.class,
        java.lang.invoke.MethodHandles.Lookup.class,
        java.lang.reflect.AccessibleObject.class,
        java.lang.reflect.Parameter.class,
        java.lang.ref.Reference.class,
        java.lang.ref.ReferenceQueue.class,
        java.lang.ref.Cleaner.class,
        java.lang.ref.Cleaner.Cleanable.class,
        java.io.FileDescriptor.class,
        java.io.InputStream.class,
        java.io.OutputStream.class,
        java.io.Reader.class,
        java.io.Writer.class,
        java.io.RandomAccessFile.class,
        java.net.Socket.class,
        java.net.ServerSocket.class,
        java.net.DatagramSocket.class,
        java.nio.channels.Channel.class,
        java.util.concurrent.Executor.class,
        Process.class,
        Runtime.class,
    };

    static Codec codecFor(CodecRegistry registry, Class<?> type) {
        if (type.isArray()) {
            return new ObjectArrayCodec(type, 0);
        }
        if (type.isEnum()
                || (type.getSuperclass() != null && type.getSuperclass().isEnum())) {
            return new EnumCodec(type.isEnum() ? type : type.getSuperclass(), type);
        }
        checkRefused(type);
        if (Proxy.isProxyClass(type)) {
            return new ProxyCodec(type);
        }
        Codec ofScala = ScalaCodecs.of(type);
        if (ofScala != null) {
            return ofScala;
        }
        if (DerivedCodec.handles(type)) {
            return DerivedCodec.of(type, DerivedCodec.isWrapper(type) ? ownForm(registry, type) : null);
        }
        return ownForm(registry, type);
    }

    /** How objects of a class travel that are not found to be derived from others. */
    private static Codec ownForm(CodecRegistry registry, Class<?> type) {
        boolean serializable = Serializable.class.isAssignableFrom(type);
        if (serializable) {
            var writeReplace = SerializationMethods.writeReplace(type);
            if (writeReplace != null) {
                return new ReplacingCodec(type, writeReplace, type.isHidden() ? null : formOf(registry, type));
            }
        }
        if (type.isHidden()) {
            throw refused(
                    type,
                    "hidden classes have no name by which another JVM could find them; make the lambda Serializable");
        }
        return formOf(registry, type);
    }

    private static Codec formOf(CodecRegistry registry, Class<?> type) {
        boolean serializable = Serializable.class.isAssignableFrom(type);
        if (SubstituteCodec.handles(type)) {
            return SubstituteCodec.of(type);
        }
        if (JdkClasses.contain(type)) {
            if (!serializable && type != Object.class && !PlainClasses.contains(type)) {
                throw refused(type, "it is a class of the JDK that is not Serializable");
            }
        }
        if (serializable && (SerializationMethods.hasHooks(type) || inheritsJdkState(type))) {
            return updating(
                    registry,
                    SerializationMethods.isExternal(type)
                            ? new ExternalCodec(type)
                            : hookCodec(registry, type, ClassFields.hookDescription(type)));
        }
        if ((!serializable || registry.mode == Mode.CLONE) && hasFinalizer(type)) {
            throw refused(type, "it has a finalizer, which can free native memory that a copy still refers to");
        }
        return updating(registry, LinkingCodec.over(fieldCodec(registry, type), registry.links));
    }

    /** The codec that follows Java's serialization protocol. */
    static Codec hookCodec(CodecRegistry registry, Class<?> type, TypeDescription description) {
        StreamedCodec streamed = description.kind() == Kind.HOOKS ? StreamedCodec.of(type, description) : null;
        return streamed != null ? streamed : new HookCodec(registry, type, description);
    }

    /** The codec that copies the fields of all classes in the hierarchy. */
    static Codec fieldCodec(CodecRegistry registry, Class<?> type) {
        TypeDescription description = ClassFields.fieldDescription(type, registry.mode);
        StreamedCodec streamed = StreamedCodec.ofFields(type, description);
        if (streamed != null) {
            return streamed;
        }
        FieldAccess[] targets = ClassFields.targets(type, description);
        int traits = Codec.traitsOf(description) | (isSelfContained(targets) ? Codec.SELF_CONTAINED : 0);
        if (Access.RAW != null && CodecGenerator.suits(description)) {
            return CodecGenerator.generate(registry, type, description, targets, traits);
        }
        return new FieldCodec(type, description, targets, traits);
    }

    /** Adds the updates of fields, transient ones too, of whatever form the class has. */
    private static Codec updating(CodecRegistry registry, Codec plain) {
        if (registry.updates.isEmpty() || plain.type.isInterface()) {
            return plain;
        }
        List<FieldAccess> updated = new ArrayList<>();
        for (Class<?> c = plain.type; c != null && c != Object.class; c = c.getSuperclass()) {
            for (Field field : registry.updates.keySet()) {
                if (field.getDeclaringClass() == c) {
                    updated.add(new FieldAccess(field));
                }
            }
        }
        return updated.isEmpty() ? plain : new UpdatingCodec(registry, plain, updated.toArray(new FieldAccess[0]));
    }

    private static boolean isSelfContained(FieldAccess[] targets) {
        for (FieldAccess target : targets) {
            Class<?> type = target.field.getType();
            Codec builtIn = BuiltInTypes.codecOf(type);
            boolean value = type.isPrimitive()
                    || type.isEnum()
                    || builtIn instanceof LeafCodec
                            && !builtIn.has(Codec.TRACKED)
                            && Modifier.isFinal(type.getModifiers());
            if (!value) {
                return false;
            }
        }
        return true;
    }

    // ---------------------------------------------------------------- evolution

    static Codec evolvedCodec(CodecRegistry registry, Class<?> type, TypeDescription written) {
        if (written.kind() == Kind.DERIVED) {
            return DerivedCodec.reading(written);
        }
        Codec local = registry.codecOf(type).copying();
        if (local instanceof DerivedCodec derived && derived.form != null) {
            local = derived.form;
        }
        if (local instanceof ReplacingCodec replacing && replacing.form != null) {
            local = replacing.form;
        }
        TypeDescription here = local.description;
        if (here != null && here.equals(written)) {
            return local;
        }
        switch (written.kind()) {
            case FIELDS -> {
                if (PlainClasses.contains(type)) {
                    throw new HeapspanException(
                            Category.EVOLUTION,
                            "class " + type.getName() + " of the JDK has other fields here than where the image was"
                                    + " written, and is not made for exchange; use the same JDK on both sides, or leave"
                                    + " its objects out of the graph");
                }
                if (here != null && here.kind() == Kind.FIELDS) {
                    if (local instanceof StreamedCodec) {
                        StreamedCodec streamed = StreamedCodec.of(type, written);
                        if (streamed != null) {
                            return updating(registry, streamed);
                        }
                    }
                    @Nullable FieldAccess[] targets = ClassFields.evolvedTargets(registry.mode, type, written);
                    return updating(registry, new FieldCodec(type, written, targets, Codec.traitsOf(written)));
                }
                if (here != null && here.kind() == Kind.HOOKS) {
                    return updating(registry, hookCodec(registry, type, written));
                }
            }
            case HOOKS -> {
                if (local.builtInTag != 0
                        || (here != null && (here.kind() == Kind.HOOKS || here.kind() == Kind.FIELDS))) {
                    return updating(registry, hookCodec(registry, type, written));
                }
            }
            case ENUM -> {
                if (local instanceof EnumCodec) {
                    return new EnumCodec(type, type, written);
                }
            }
            case PROXY, OBJECT_ARRAY, EXTERNAL, SEQUENCE, MAPPING, DERIVED -> {
                if (here != null && here.kind() == written.kind()) {
                    return local;
                }
            }
        }
        throw new HeapspanException(
                Category.EVOLUTION,
                "class " + type.getName() + " was written as " + written.kind() + " and is "
                        + (here == null ? "built in" : here.kind())
                        + " here: the two versions of the class take part in serialization in different ways; use the same version on"
                        + " both sides");
    }

    // ---------------------------------------------------------------- refusal

    private static void checkRefused(Class<?> type) {
        for (Class<?> refused : REFUSED_WITH_SUBCLASSES) {
            if (refused.isAssignableFrom(type)) {
                boolean hasProxyForm =
                        Serializable.class.isAssignableFrom(type) && SerializationMethods.writeReplace(type) != null;
                if (!hasProxyForm) {
                    throw refused(
                            type,
                            refused == type ? "it means nothing outside its JVM" : "it is a " + refused.getName());
                }
            }
        }
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            String name = c.getName();
            if (name.startsWith("java.lang.foreign.")
                    || name.startsWith("jdk.internal.foreign.")
                    || name.startsWith("sun.nio.ch.")
                    || name.equals("jdk.internal.ref.Cleaner")
                    || name.startsWith("java.util.concurrent.atomic.Atomic") && name.contains("FieldUpdater")) {
                throw refused(type, "it holds addresses or offsets of this JVM");
            }
        }
    }

    /** Whether a class has a method {@code finalize}, its own or that of a superclass outside of the JDK. */
    private static boolean hasFinalizer(Class<?> type) {
        for (Class<?> c = type; c != null && !JdkClasses.contain(c); c = c.getSuperclass()) {
            if (declaresFinalizer(c)) {
                return true;
            }
        }
        return false;
    }

    private static boolean declaresFinalizer(Class<?> type) {
        try {
            return type.getDeclaredMethod("finalize").getReturnType() == void.class;
        } catch (NoSuchMethodException | NoClassDefFoundError e) {
            // The latter if another method refers to a class that is missing.
            return false;
        }
    }

    private static HeapspanException refused(Class<?> type, String why) {
        return new RefusedClass(type, why).toException("");
    }

    /** Whether a user class extends a class of the JDK that has state and is not Serializable, whose constructor must run. */
    private static boolean inheritsJdkState(Class<?> type) {
        for (Class<?> c = type.getSuperclass(); c != null && c != Object.class; c = c.getSuperclass()) {
            if (JdkClasses.contain(c) && !Serializable.class.isAssignableFrom(c)) {
                return !ClassFields.instanceFields(c).isEmpty();
            }
        }
        return false;
    }
}
