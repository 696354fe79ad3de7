package org.heapspan.cli;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The words behind a command. Each command takes out what it knows; what is left is an error. */
final class Options {
    private final String command;
    private final List<String> words;

    Options(String command, String[] words) {
        this.command = command;
        this.words = new ArrayList<>(List.of(words));
    }

    boolean flag(String name) {
        return words.remove(name);
    }

    /** The word behind a name, or behind the equals sign in {@code name=word}. */
    @Nullable
    String value(String name) throws Failure {
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (word.startsWith(name + "=")) {
                return words.remove(i).substring(name.length() + 1);
            }
            if (word.equals(name)) {
                words.remove(i);
                if (i == words.size()) {
                    throw Failure.ofUsage(name + " needs a value");
                }
                return words.remove(i);
            }
        }
        return null;
    }

    int number(String name, int least, int most, int otherwise) throws Failure {
        String text = value(name);
        if (text == null) {
            return otherwise;
        }
        try {
            int number = Integer.parseInt(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // The message below says what is expected.
        }
        throw Failure.ofUsage(name + " is '" + text + "', expected " + least + " to " + most);
    }

    /** The next word that is no option. */
    String argument(String what) throws Failure {
        String word = optionalArgument();
        if (word.isEmpty()) {
            throw Failure.ofUsage(command + " needs " + what);
        }
        return word;
    }

    /** The next word that is no option; empty if there is none. */
    String optionalArgument() {
        for (int i = 0; i < words.size(); i++) {
            if (!words.get(i).startsWith("-")) {
                return words.remove(i);
            }
        }
        return "";
    }

    void finish() throws Failure {
        if (!words.isEmpty()) {
            throw Failure.ofUsage(command + " does not know '" + words.get(0) + "'");
        }
    }
}
