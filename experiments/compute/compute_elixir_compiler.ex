# A module of Elixir with a struct, a macro and a protocol's implementation, compiled from its source.
defmodule :compute_elixir_compiler do
  @source """
  defmodule LabMade do
    defstruct [:name, count: 0, items: []]

    defmacro twice(code), do: quote(do: {unquote(code), unquote(code)})

    @doc "Adds an item."
    def add(%__MODULE__{items: items, count: count} = made, item) when is_binary(item) do
      %{made | items: [String.trim(item) | items], count: count + 1}
    end

    def sum(list), do: list |> Enum.map(fn x -> x * 2 end) |> Enum.filter(&(&1 > 3)) |> Enum.sum()

    def sort(value) do
      case value do
        {:ok, %{id: id}} when id > 10 -> {:large, id}
        {:ok, _} -> :small
        {:error, reason} -> raise ArgumentError, "bad: \#{inspect(reason)}"
        <<first::8, rest::binary>> -> {first, rest}
        _ -> with {a, b} <- value, true <- a > b, do: a
      end
    end
  end
  """

  def run do
    Code.compiler_options(ignore_module_conflict: true)
    [{made, code}] = Code.compile_string(@source, "made.ex")
    {is_binary(code), made.sum([1, 2, 3]), made.sort({:ok, %{id: 11}})}
  end
end
