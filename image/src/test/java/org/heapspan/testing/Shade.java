package org.heapspan.testing;

/** An enum that a {@link RedefiningLoader} can define anew: it needs no access to another class. */
public enum Shade {
    LIGHT,
    DARK {
        @Override
        public boolean isDark() {
            return true;
        }
    };

    /** Whether it is dark; so that one constant has a class of its own. */
    public boolean isDark() {
        return false;
    }
}
