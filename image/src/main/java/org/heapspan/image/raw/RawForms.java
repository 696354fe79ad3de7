package org.heapspan.image.raw;

import java.nio.charset.Charset;
import java.util.ArrayList;
import java.util.Set;
import org.heapspan.ObjectLinks;
import org.heapspan.image.codec.EnumCodec;
import org.heapspan.image.codec.ImmutableCollectionCodecs;
import org.heapspan.image.codec.LinkedInstanceCodec;
import org.heapspan.image.codec.ObjectArrayCodec;
import org.heapspan.image.codec.OwnObjectCodec;
import org.heapspan.image.codec.PrimitiveArrayCodec;
import org.heapspan.image.graph.Codec;
import org.heapspan.image.memory.Access;
import org.heapspan.image.type.ClassFields;
import org.heapspan.image.type.FieldAccess;
import org.heapspan.image.type.JdkClasses;
import org.heapspan.image.type.TypeDescription;
import org.heapspan.image.type.TypeDescription.Kind;

/**
 * Decides, once for each class, how its objects are written in a raw image. An object is copied if its copy works in every JVM. These are
 * objects of user classes that are written field by field, arrays, strings, boxes, and the JDK classes in {@link RawVetted}.
 */
final class RawForms {
    private RawForms() {}

    private static final Set<Class<?>> BOXES = Set.of(
            Boolean.class,
            Byte.class,
            Short.class,
            Character.class,
            Integer.class,
            Long.class,
            Float.class,
            Double.class);

    /** Whether references of a declared type lead to constants or to objects that refer to nothing and have no identity. */
    static boolean isValue(Class<?> declared) {
        return declared.isEnum() || declared == Class.class || BOXES.contains(declared);
    }

    /** The form of direct instances of a class; the codec's class may be another where it handles several. */
    static RawForm of(Codec codec, Class<?> type) {
        RawForm form = (RawForm) codec.rawForm;
        return form != null ? form : makeOnce(codec, type);
    }

    private static RawForm makeOnce(Codec codec, Class<?> type) {
        // Writers tell classes apart by their forms, so that there must be one only.
        synchronized (codec) {
            RawForm form = (RawForm) codec.rawForm;
            if (form == null) {
                form = make(codec, type);
                codec.rawForm = form;
            }
            return form;
        }
    }

    private static RawForm make(Codec codec, Class<?> type) {
        RawLayout layout = RawLayout.OWN;
        if (layout == null) {
            throw new IllegalStateException("this JVM's heap cannot be looked into");
        }
        if (codec instanceof LinkedInstanceCodec linked) {
            return linkedForm(layout, linked, type);
        }
        if (codec instanceof EnumCodec
                || codec instanceof ImmutableCollectionCodecs.OfEmpty
                || type == Class.class
                || OwnObjectCodec.isOnlyInstance(type)
                || Charset.class.isAssignableFrom(type)) {
            return RawForm.CONSTANT;
        }
        if (codec instanceof PrimitiveArrayCodec || codec instanceof ObjectArrayCodec) {
            return new RawArrayForm(layout, type);
        }
        if (JdkClasses.contain(type)) {
            TypeDescription vetted = RawVetted.describe(type);
            return vetted == null ? RawForm.SIDE : vettedForm(layout, codec, type, vetted);
        }
        TypeDescription description = codec.description;
        if (description != null && description.kind() == Kind.FIELDS) {
            Access.raw().ensureClassInitialized(type);
            FieldAccess[] fields = ClassFields.targets(type, description);
            return instanceForm(layout, codec, type, description, fields);
        }
        return RawForm.SIDE;
    }

    /** Instances that are copied although others are not: those that the writer's common path could copy. */
    private static RawForm linkedForm(RawLayout layout, LinkedInstanceCodec codec, Class<?> type) {
        RawForm plain = of(codec.copying(), type);
        TypeDescription description = codec.description;
        if (plain.kind != RawForm.Kind.OBJECT || description == null || codec.links() != null) {
            // Side objects are asked about when they are written.
            return plain;
        }
        FieldAccess[] fields = ClassFields.targets(type, description);
        RawSelectiveForm form = RawCodecGenerator.suits(fields.length)
                ? (RawSelectiveForm)
                        RawCodecGenerator.form(RawSelectiveForm.class, layout, type, description, fields, true)
                : new RawSelectiveForm(layout, type, description, fields, true);
        form.selectBy(codec);
        return form;
    }

    private static RawForm vettedForm(RawLayout layout, Codec codec, Class<?> type, TypeDescription description) {
        FieldAccess[] fields = ClassFields.targets(type, description);
        if (type == String.class) {
            RawStringForm strings = RawStringForm.INSTANCE;
            return strings == null ? RawForm.SIDE : strings;
        }
        if (type == ArrayList.class) {
            return new RawListForm(layout, description, fields);
        }
        if (RawMapForm.handles(type)) {
            return new RawMapForm(layout, type, description, fields);
        }
        if (BOXES.contains(type)) {
            return RawCodecGenerator.form(RawBoxForm.class, layout, type, description, fields, false);
        }
        return instanceForm(layout, codec, type, description, fields);
    }

    private static RawForm instanceForm(
            RawLayout layout, Codec codec, Class<?> type, TypeDescription description, FieldAccess[] fields) {
        boolean tracked = codec.has(Codec.TRACKED);
        ObjectLinks links = codec.links();
        if (links != null) {
            return new RawLinkingForm(layout, type, description, fields, tracked, links);
        }
        return RawCodecGenerator.suits(fields.length)
                ? RawCodecGenerator.form(RawInstanceForm.class, layout, type, description, fields, tracked)
                : new RawInstanceForm(layout, type, description, fields, tracked);
    }
}
