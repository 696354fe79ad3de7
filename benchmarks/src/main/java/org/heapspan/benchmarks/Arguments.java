package org.heapspan.benchmarks;

import java.util.function.Predicate;

/** Arguments of the programs behind {@code ./dev bench}, all of which are options. */
public final class Arguments {
    private Arguments() {}

    /**
     * Reads the arguments of a program, or ends it: with the help where that is asked for, else saying what is wrong.
     *
     * @param help all options
     * @param takes uses an argument and says whether it is an option; throws IllegalArgumentException for a wrong value
     */
    public static void read(String[] arguments, String help, Predicate<String> takes) {
        for (String argument : arguments) {
            if (argument.equals("--help")) {
                System.out.print(help);
                System.exit(0);
            }
            try {
                if (!takes.test(argument)) {
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
