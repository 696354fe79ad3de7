package org.heapspan.benchmarks;

/** Arguments of the programs behind {@code ./dev bench}, all of which are options. */
public final class Arguments {
    private Arguments() {}

    /** Uses an option. */
    @FunctionalInterface
    public interface Option {
        /**
         * Uses an option.
         *
         * @param name with its dashes
         * @param value what stands behind the first equals sign; empty if there is none
         * @return whether there is such an option
         * @throws IllegalArgumentException if the value is wrong
         */
        boolean takes(String name, String value);
    }

    /**
     * Reads the arguments of a program, or ends it: with the help where that is asked for, else saying what is wrong.
     *
     * @param help all options
     * @param option uses each of them
     */
    public static void read(String[] arguments, String help, Option option) {
        for (String argument : arguments) {
            if (argument.equals("--help")) {
                System.out.print(help);
                System.exit(0);
            }
            int equals = argument.indexOf('=');
            String name = equals < 0 ? argument : argument.substring(0, equals);
            String value = equals < 0 ? "" : argument.substring(equals + 1);
            try {
                if (!option.takes(name, value)) {
                    refuse("no option '" + argument + "'");
                }
            } catch (IllegalArgumentException e) {
                refuse("'" + argument + "': " + e.getMessage());
            }
        }
    }

    private static void refuse(String what) {
        System.err.println(what + "; --help lists the options and their values");
        System.exit(2);
    }
}
