package org.heapspan.image;

import java.io.Externalizable;
import java.io.Serializable;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.heapspan.HeapspanException;
import org.heapspan.HeapspanException.Category;
import org.heapspan.Mode;
import org.heapspan.image.TypeDescription.Kind;
import org.heapspan.image.TypeDescription.Level;
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
        if (isOfJdk(type)) {
            if (!serializable && type != Object.class && !PlainClasses.contains(type)) {
                throw refused(type, "it is a class of the JDK that is not Serializable");
            }
        }
        if (serializable && (SerializationMethods.hasHooks(type) || inheritsJdkState(type))) {
            return updating(
                    registry,
                    Externalizable.class.isAssignableFrom(type)
                            ? new ExternalCodec(type)
                            : hookCodec(registry, type, hookDescription(type)));
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
        TypeDescription description = fieldDescription(type, registry.mode);
        StreamedCodec streamed = StreamedCodec.ofFields(type, description);
        if (streamed != null) {
            return streamed;
        }
        FieldAccess[] targets = targets(type, description);
        int traits = traits(description) | (isSelfContained(targets) ? Codec.SELF_CONTAINED : 0);
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

    static int traits(TypeDescription description) {
        boolean leaf = true;
        for (Level level : description.levels()) {
            for (TypeDescription.Field field : level.fields()) {
                leaf &= field.code() != TypeDescription.Field.REFERENCE && field.code() != TypeDescription.Field.STRING;
            }
        }
        return Codec.TRACKED | Codec.SURE | (leaf ? Codec.LEAF : Codec.DEFERRABLE);
    }

    // ---------------------------------------------------------------- descriptions

    static TypeDescription fieldDescription(Class<?> type, Mode mode) {
        List<Level> levels = new ArrayList<>();
        for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
            List<TypeDescription.Field> fields = new ArrayList<>();
            for (Field field : instanceFields(c)) {
                if (travels(field, mode)) {
                    fields.add(
                            new TypeDescription.Field(TypeDescription.Field.codeOf(field.getType()), field.getName()));
                }
            }
            if (!fields.isEmpty()) {
                levels.add(0, new Level(c.getName(), 0, List.copyOf(fields)));
            }
        }
        return new TypeDescription(Kind.FIELDS, type.getName(), List.of(), List.copyOf(levels));
    }

    /** Whether the value of a field is part of what a class that travels field by field sends. */
    static boolean travels(Field field, Mode mode) {
        // Transient fields of the JDK's classes are caches, never state that a copy would miss.
        return !Modifier.isTransient(field.getModifiers()) || mode == Mode.CLONE && !isOfJdk(field.getDeclaringClass());
    }

    static TypeDescription hookDescription(Class<?> type) {
        List<Level> levels = new ArrayList<>();
        for (Class<?> c = type; c != null && Serializable.class.isAssignableFrom(c); c = c.getSuperclass()) {
            int flags = !type.isRecord() && SerializationMethods.writeObject(c) != null ? Level.HAS_WRITE_OBJECT : 0;
            levels.add(0, new Level(c.getName(), flags, serialFields(c)));
        }
        return new TypeDescription(Kind.HOOKS, type.getName(), List.of(), List.copyOf(levels));
    }

    private static List<TypeDescription.Field> serialFields(Class<?> type) {
        var streamClass = java.io.ObjectStreamClass.lookupAny(type);
        List<TypeDescription.Field> fields = new ArrayList<>();
        for (var field : streamClass.getFields()) {
            fields.add(new TypeDescription.Field(TypeDescription.Field.codeOf(field.getType()), field.getName()));
        }
        fields.sort(TypeDescription.Field.BY_NAME);
        return List.copyOf(fields);
    }

    private static final Comparator<Field> BY_NAME = new Comparator<>() {
        @Override
        public int compare(Field a, Field b) {
            return a.getName().compareTo(b.getName());
        }
    };

    /** Fields that belong to instances, in order of their names. */
    static List<Field> instanceFields(Class<?> type) {
        List<Field> fields = new ArrayList<>();
        for (Field field : type.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                fields.add(field);
            }
        }
        fields.sort(BY_NAME);
        return fields;
    }

    /** The local fields of a description made from the local class, in the order of its block. */
    static FieldAccess[] targets(Class<?> type, TypeDescription description) {
        Map<String, Class<?>> classes = hierarchy(type);
        List<FieldAccess> targets = new ArrayList<>();
        for (FieldBlock.Slot slot : new FieldBlock(description.levels()).slots) {
            Class<?> owner = classes.get(slot.level().className());
            if (owner == null) {
                throw new IllegalStateException(slot + " is no field of " + type);
            }
            try {
                targets.add(new FieldAccess(owner.getDeclaredField(slot.field().name())));
            } catch (NoSuchFieldException e) {
                throw new IllegalStateException(e);
            }
        }
        return targets.toArray(new FieldAccess[0]);
    }

    /** The field of a slot in the block of a class that travels field by field. */
    static FieldAccess field(CodecRegistry registry, Class<?> type, int slot) {
        return targets(type, fieldDescription(type, registry.mode))[slot];
    }

    static Map<String, Class<?>> hierarchy(Class<?> type) {
        Map<String, Class<?>> classes = new HashMap<>();
        for (Class<?> c = type; c != null; c = c.getSuperclass()) {
            classes.put(c.getName(), c);
        }
        return classes;
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
                    @Nullable FieldAccess[] targets = evolvedTargets(registry.mode, type, written);
                    return updating(registry, new FieldCodec(type, written, targets, traits(written)));
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

    /** Local fields for written ones: by declaring class and name, else by name alone where that is unambiguous. */
    static @Nullable FieldAccess[] evolvedTargets(Mode mode, Class<?> type, TypeDescription written) {
        Map<String, List<Field>> byName = new HashMap<>();
        for (Class<?> c = type; c != null && c != Object.class; c = c.getSuperclass()) {
            for (Field field : instanceFields(c)) {
                if (travels(field, mode)) {
                    byName.computeIfAbsent(field.getName(), unused -> new ArrayList<>())
                            .add(field);
                }
            }
        }
        List<FieldBlock.Slot> slots = new FieldBlock(written.levels()).slots;
        @Nullable FieldAccess[] targets = new FieldAccess[slots.size()];
        for (int i = 0; i < targets.length; i++) {
            FieldBlock.Slot slot = slots.get(i);
            Field field = match(byName.getOrDefault(slot.field().name(), List.of()), slot);
            if (field != null) {
                checkType(type, slot.field(), field.getType());
                targets[i] = new FieldAccess(field);
            }
        }
        return targets;
    }

    private static @Nullable Field match(List<Field> candidates, FieldBlock.Slot slot) {
        for (Field candidate : candidates) {
            if (candidate.getDeclaringClass().getName().equals(slot.level().className())) {
                return candidate;
            }
        }
        return candidates.size() == 1 ? candidates.get(0) : null;
    }

    /** Whether a field of a local type can hold values of a written one. */
    static boolean mayHold(TypeDescription.Field written, Class<?> localType) {
        char here = TypeDescription.Field.codeOf(localType);
        boolean bothReferences = isReference(here) && isReference(written.code());
        return here == written.code()
                || bothReferences
                        && (written.code() != TypeDescription.Field.STRING || localType.isAssignableFrom(String.class));
    }

    static void checkType(Class<?> type, TypeDescription.Field written, Class<?> localType) {
        if (!mayHold(written, localType)) {
            throw new HeapspanException(
                    Category.EVOLUTION,
                    "field " + type.getName() + "." + written.name() + " was written as " + written.typeName()
                            + " and is "
                            + localType.getName()
                            + " here: a field may be added, removed or moved within the hierarchy, but not change its type; rename it");
        }
    }

    private static boolean isReference(char code) {
        return code == TypeDescription.Field.REFERENCE || code == TypeDescription.Field.STRING;
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

    private static HeapspanException refused(Class<?> type, String why) {
        return new RefusedClass(type, why).toException("");
    }

    /** Whether a class belongs to the JDK's own modules. */
    static boolean isOfJdk(Class<?> type) {
        Module module = type.getModule();
        String name = module.getName();
        return name != null && (name.startsWith("java.") || name.startsWith("jdk."));
    }

    /** Whether a user class extends a class of the JDK that has state and is not Serializable, whose constructor must run. */
    private static boolean inheritsJdkState(Class<?> type) {
        for (Class<?> c = type.getSuperclass(); c != null && c != Object.class; c = c.getSuperclass()) {
            if (isOfJdk(c) && !Serializable.class.isAssignableFrom(c)) {
                return !instanceFields(c).isEmpty();
            }
        }
        return false;
    }
}
