package org.heapspan.cli;

import java.io.Serializable;
import java.lang.reflect.Field;
import java.util.SplittableRandom;

/** A hundred primitive fields of four types in turn; public, with a plain constructor, because libraries that generate code need that. */
public final class BenchStruct implements Serializable {
    private static final long serialVersionUID = 1L;

    public int f0;
    public long f1;
    public float f2;
    public double f3;
    public int f4;
    public long f5;
    public float f6;
    public double f7;
    public int f8;
    public long f9;
    public float f10;
    public double f11;
    public int f12;
    public long f13;
    public float f14;
    public double f15;
    public int f16;
    public long f17;
    public float f18;
    public double f19;
    public int f20;
    public long f21;
    public float f22;
    public double f23;
    public int f24;
    public long f25;
    public float f26;
    public double f27;
    public int f28;
    public long f29;
    public float f30;
    public double f31;
    public int f32;
    public long f33;
    public float f34;
    public double f35;
    public int f36;
    public long f37;
    public float f38;
    public double f39;
    public int f40;
    public long f41;
    public float f42;
    public double f43;
    public int f44;
    public long f45;
    public float f46;
    public double f47;
    public int f48;
    public long f49;
    public float f50;
    public double f51;
    public int f52;
    public long f53;
    public float f54;
    public double f55;
    public int f56;
    public long f57;
    public float f58;
    public double f59;
    public int f60;
    public long f61;
    public float f62;
    public double f63;
    public int f64;
    public long f65;
    public float f66;
    public double f67;
    public int f68;
    public long f69;
    public float f70;
    public double f71;
    public int f72;
    public long f73;
    public float f74;
    public double f75;
    public int f76;
    public long f77;
    public float f78;
    public double f79;
    public int f80;
    public long f81;
    public float f82;
    public double f83;
    public int f84;
    public long f85;
    public float f86;
    public double f87;
    public int f88;
    public long f89;
    public float f90;
    public double f91;
    public int f92;
    public long f93;
    public float f94;
    public double f95;
    public int f96;
    public long f97;
    public float f98;
    public double f99;

    /** All fields are zero. */
    public BenchStruct() {}

    /** All fields are random, over the whole range of integers, from 0 to 1 for fractions. */
    static BenchStruct random(SplittableRandom random) {
        BenchStruct struct = new BenchStruct();
        for (Field field : fields()) {
            set(field, struct, random);
        }
        return struct;
    }

    private static void set(Field field, BenchStruct struct, SplittableRandom random) {
        try {
            if (field.getType() == int.class) {
                field.setInt(struct, random.nextInt());
            } else if (field.getType() == long.class) {
                field.setLong(struct, random.nextLong());
            } else if (field.getType() == float.class) {
                field.setFloat(struct, (float) random.nextDouble());
            } else {
                field.setDouble(struct, random.nextDouble());
            }
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("fields of this class are public", e);
        }
    }

    private static Field[] fields() {
        return BenchStruct.class.getFields();
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof BenchStruct)) {
            return false;
        }
        try {
            for (Field field : fields()) {
                if (!field.get(this).equals(field.get(other))) {
                    return false;
                }
            }
            return true;
        } catch (IllegalAccessException e) {
            throw new IllegalStateException("fields of this class are public", e);
        }
    }

    @Override
    public int hashCode() {
        return f0 * 31 + Long.hashCode(f1);
    }
}
