# Pipelines of Elixir: Enum, Stream, strings, keyword lists, structs and comprehensions.
defmodule :compute_elixir_pipelines do
  defmodule Order do
    defstruct [:id, :customer, :amount, tags: []]
  end

  def run, do: Enum.map(1..5, &once/1)

  defp once(round) do
    orders = for id <- 1..3000, do: %Order{id: id, customer: "customer #{rem(id * 7, 53)}", amount: rem(id * 37 + round, 1000), tags: tags(id)}

    totals =
      orders
      |> Enum.filter(&(:gift not in &1.tags))
      |> Enum.group_by(& &1.customer, & &1.amount)
      |> Enum.map(fn {customer, amounts} -> {customer, Enum.sum(amounts), Enum.max(amounts)} end)
      |> Enum.sort_by(fn {customer, sum, _} -> {-sum, customer} end)

    lazily =
      1
      |> Stream.iterate(&rem(&1 * 48271, 2_147_483_647))
      |> Stream.reject(&(rem(&1, 3) == 0))
      |> Stream.map(&Integer.to_string/1)
      |> Stream.chunk_every(3)
      |> Stream.flat_map(&Enum.uniq/1)
      |> Enum.take(6000)
      |> Enum.reduce(%{}, fn text, counts -> Map.update(counts, String.length(text), 1, &(&1 + 1)) end)

    text =
      totals
      |> Enum.with_index(1)
      |> Enum.map_join("\n", fn {{customer, sum, most}, at} -> "#{at}. #{String.upcase(customer)}: #{sum} (#{most})" end)

    words = text |> String.split([" ", "\n"], trim: true) |> Enum.frequencies() |> Enum.count(fn {_, count} -> count > 1 end)
    updated = Enum.map(orders, fn %Order{amount: amount} = order -> %{order | amount: amount + 1} end)
    pairs = for %Order{amount: amount, id: id} <- updated, rem(amount, 7) == 0, into: %{}, do: {id, amount}
    {length(totals), lazily, byte_size(text), words, map_size(pairs), MapSet.size(MapSet.new(updated, & &1.customer))}
  end

  defp tags(id) do
    [] |> add(rem(id, 2) == 0, :even) |> add(rem(id, 5) == 0, :gift) |> add(id > 100, :late)
  end

  defp add(tags, true, tag), do: [tag | tags]
  defp add(tags, false, _), do: tags
end
